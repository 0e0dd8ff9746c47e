/* SPDX-License-Identifier: BSD-2-Clause */
/* CMocka wants its includes in this order; every unit test starts here. */
#ifndef WT_TESTS_UNIT_UNIT_H
#define WT_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#endif
