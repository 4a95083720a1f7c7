from typing import Optional
__version__ = '2.11.0+cu130'
cuda: Optional[str] = '13.0'
hip: Optional[str] = None
