/* replaced by the first real file */
typedef int wt_placeholder_wire;
