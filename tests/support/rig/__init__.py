"""What tests of several areas share: bounded waiting, other kernels, a real JupyterLab in a browser."""
