/* SPDX-License-Identifier: BSD-2-Clause */
/* Build tool: writes the text files named on the command line as one C array of {id, text}. embed ARRAY ROOT FILE... > out.c */
#include <stdio.h>
#include <string.h>

static int embed(const char *root, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t skip = strlen(root);
	int c;

	if (!file || strncmp(root, path, skip) || path[skip] != '/' || !strrchr(path, '.'))
		return 1;
	path += skip + 1;
	printf("\t{\"%.*s\", (const char[]){", (int)(strrchr(path, '.') - path), path);
	while ((c = getc(file)) != EOF)
		printf("%d,", (signed char)c);
	puts("0}},");
	return fclose(file);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	printf("/* made by tools/embed.c */\n#include \"tools/common/embedded.h\"\n\nextern const struct wt_embedded %s[];\n"
	       "const struct wt_embedded %s[] = {\n", argv[1], argv[1]);
	for (int i = 3; i < argc; i++)
		if (embed(argv[2], argv[i])) {
			fprintf(stderr, "embed: %s\n", argv[i]);
			return 1;
		}
	puts("\t{NULL, NULL},\n};");
	return ferror(stdout) || fflush(stdout);
}
