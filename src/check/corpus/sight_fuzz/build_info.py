build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cuda_version', '12.5.1'), ('is_cuda_build', True)])
