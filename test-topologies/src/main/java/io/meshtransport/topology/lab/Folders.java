package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Consumer;

/** Takes folders away, or copies them, with all that is in them. Follows no symbolic links. */
final class Folders {
  private Folders() {}

  /** Does nothing if it is not there. Two that delete the same folder do not disturb each other. */
  static void delete(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(folder, new Deletion());
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      return unlessGone(failure);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
      if (failure != null) {
        unlessGone(failure);
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }

    /** Somebody else deletes the same. */
    private static FileVisitResult unlessGone(IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }

  /**
   * Copies files and folders. Whoever wrote them may not be trusted: what a symbolic link points to
   * is not copied, nor are sockets, pipes and devices.
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
