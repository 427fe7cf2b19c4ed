"""What tests of several areas share: bounded waiting, kernels of other versions, a real JupyterLab in a browser."""
