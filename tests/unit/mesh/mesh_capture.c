/* SPDX-License-Identifier: BSD-2-Clause */
/* mesh_capture ROUTING FILE: a string of five stations, whose links break and heal, and data over it; all frames as pcap. For decode.py. */
#include "tests/unit/mesh/toy_mesh.h"

static struct toy_mesh mesh;

static void word(FILE *file, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, file);
}

static void saw(const struct wt_frame *frame, void *arg)
{
	wt_time now = wt_graph_now(mesh.graph);

	word(arg, (uint32_t)(now / WT_S));
	word(arg, (uint32_t)(now % WT_S / WT_US));
	word(arg, frame->len);
	word(arg, frame->len);
	fwrite(wt_frame_look(frame), 1, frame->len, arg);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "wb") : NULL;

	if (!file)
		return 2;
	word(file, 0xa1b2c3d4);
	word(file, 2 | 4 << 16);
	word(file, 0);
	word(file, 0);
	word(file, 65535);
	word(file, 1);
	toy_mesh_init(&mesh, 5, argv[1], 1);
	toy_string(&mesh);
	mesh.air.saw = saw;
	mesh.air.arg = file;
	for (unsigned i = 0; i < 60; i++) {
		toy_link(&mesh, 2, 3, i % 20 < 15);
		toy_send(&mesh, 0, 4, 64, i);
		toy_send(&mesh, 4, 1, 64, i);
		toy_run(&mesh, (i + 1) * WT_S, false);
	}
	printf("%u %llu\n", mesh.sink[4].count + mesh.sink[1].count, (unsigned long long)toy_messages(&mesh));
	toy_mesh_finish(&mesh);
	return fclose(file) ? 1 : 0;
}
