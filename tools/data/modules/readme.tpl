# @NAME@

A @SIDE@ module for Wavetank, built outside its tree.

```sh
meson setup build && ninja -C build && meson test -C build
wavetank cc show ./build/@NAME@.so
wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms' @OPTION@ ./build/@NAME@.so
```

`@NAME@.c` is the module; the contract is `cc/cc.h` of the installed headers. Without Meson:

```sh
cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -fvisibility=hidden @NAME@.c -o @NAME@.so $(pkg-config --cflags --libs wavetank-module)
```

Every result names the SHA-256 of the file. A program whose headers differ from those it was built with refuses it: build it again.
