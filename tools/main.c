/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cli.h"

int main(int argc, char **argv)
{
	return wt_cli_main(argc, argv);
}
