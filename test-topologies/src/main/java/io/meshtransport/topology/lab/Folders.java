// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.function.Consumer;

/** Takes folders away, or copies them, with all that is in them. Follows no symbolic links. */
final class Folders {
  private Folders() {}

  /**
   * Does nothing if it is not there. Two that delete the same folder do not disturb each other.
   * Each folder is opened without following links and emptied through the open descriptor, so that
   * no process can replace it by another folder meanwhile.
   */
  static void delete(Path folder) throws IOException {
    Path whole = folder.toAbsolutePath();
    try (DirectoryStream<Path> parent = Files.newDirectoryStream(whole.getParent())) {
      if (!(parent instanceof SecureDirectoryStream<Path> secure)) {
        throw new IOException(whole.getParent() + " has no file system to delete from safely");
      }
      delete(secure, whole.getFileName());
    } catch (NoSuchFileException e) {
      // Nor is its parent there.
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static void delete(SecureDirectoryStream<Path> parent, Path name) throws IOException {
    try {
      BasicFileAttributes attributes =
          parent
              .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes();
      if (!attributes.isDirectory()) {
        parent.deleteFile(name);
        return;
      }
      try (SecureDirectoryStream<Path> inside =
          parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
        for (Path each : inside) {
          delete(inside, each.getFileName());
        }
      }
      parent.deleteDirectory(name);
    } catch (NoSuchFileException e) {
      // Another process deletes the same.
    }
  }

  /**
   * Whether a folder is this user's and no other user may write there. Then its content is this
   * user's too, and in a temporary directory with the sticky bit no other user can replace it.
   */
  static boolean isOwn(Path folder) throws IOException {
    PosixFileAttributes attributes =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return attributes.isDirectory()
        && attributes.owner().equals(Files.getOwner(Path.of("/proc/self")))
        && !attributes.permissions().contains(PosixFilePermission.GROUP_WRITE)
        && !attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE);
  }

  /**
   * Copies files and folders. Their writer is not trusted: targets of symbolic links are not
   * copied, nor are sockets, pipes and devices.
   *
   * @param leftOut sees each file that is neither a folder nor has bytes of its own
   */
  static void copy(Path from, Path to, Consumer<Path> leftOut) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(target(folder));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              Files.copy(
                  file,
                  target(file),
                  StandardCopyOption.REPLACE_EXISTING,
                  LinkOption.NOFOLLOW_LINKS);
            } else {
              leftOut.accept(file);
            }
            return FileVisitResult.CONTINUE;
          }

          private Path target(Path each) {
            return to.resolve(from.relativize(each).toString());
          }
        });
  }
}
