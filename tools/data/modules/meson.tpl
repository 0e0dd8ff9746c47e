project('@NAME@', 'c', default_options: ['c_std=c11', 'warning_level=3', 'buildtype=debugoptimized'])

# Results must not depend on compiler or optimisation: no fused arithmetic.
add_project_arguments('-ffp-contract=off', '-Wno-unused-parameter', '-fvisibility=hidden', language: 'c')

wavetank_module = dependency('wavetank-module')
module = shared_module('@NAME@', '@NAME@.c', name_prefix: '', dependencies: wavetank_module, install: true,
    install_dir: wavetank_module.get_variable(pkgconfig: 'moduledir'))
test('contract', find_program('wavetank'), args: ['cc', 'check', module])
