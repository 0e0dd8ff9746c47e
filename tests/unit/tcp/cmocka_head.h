/* SPDX-License-Identifier: BSD-2-Clause */
/* CMocka wants these four before its own header. */
#ifndef WT_TESTS_UNIT_HOST_CMOCKA_HEAD_H
#define WT_TESTS_UNIT_HOST_CMOCKA_HEAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
