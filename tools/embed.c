/* SPDX-License-Identifier: BSD-2-Clause */
/* Build tool: writes the text files named on the command line as one C array of {id, text}. embed ROOT FILE... > out.c */
#include <stdio.h>
#include <string.h>

static int embed(const char *root, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t skip = strlen(root);
	int c;

	if (!file || strncmp(root, path, skip) || path[skip] != '/')
		return 1;
	path += skip + 1;
	printf("\t{\"%.*s\", (const char[]){", (int)(strlen(path) - strlen(".ini")), path);
	while ((c = getc(file)) != EOF)
		printf("%d,", c);
	puts("0}},");
	return fclose(file);
}

int main(int argc, char **argv)
{
	puts("/* made by tools/embed.c */\n#include \"tools/paper_table.h\"\n\nconst struct wt_paper_file wt_paper_files[] = {");
	for (int i = 2; i < argc; i++)
		if (embed(argv[1], argv[i])) {
			fprintf(stderr, "embed: %s\n", argv[i]);
			return 1;
		}
	puts("\t{NULL, NULL},\n};");
	return ferror(stdout) || fflush(stdout);
}
