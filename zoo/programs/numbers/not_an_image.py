"""A web page saved under the name of an image."""
# zoo end: bad-input
# zoo needs: PIL

from PIL import Image

with open("cat.jpg", "w") as file:
    file.write("<html>404 Not Found</html>")
Image.open("cat.jpg").convert("RGB")  # guilty
