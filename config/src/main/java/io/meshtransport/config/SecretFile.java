// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the key from the file that MESH_SECRET_FILE names. */
final class SecretFile {
  private SecretFile() {}

  /**
   * @param warnings gets a sentence if users other than the owner may read the file
   */
  static EffectiveValue<Optional<Secret>> read(EffectiveValue<String> file, List<String> warnings) {
    try {
      Path path = Path.of(file.value());
      byte[] key = withoutNewline(readBounded(path));
      if (isReadableByOthers(path)) {
        warnings.add(
            "MESH_SECRET_FILE %s can be read by others than its owner; `chmod 600 %s`"
                .formatted(path, path));
      }
      return new EffectiveValue<>(Setting.SECRET, Optional.of(new Secret(key)), file.source());
    } catch (IOException e) {
      throw refuse(file, why(e), e);
    } catch (IllegalArgumentException e) {
      // Not a path, or not as long as a secret may be.
      throw refuse(file, e.getMessage(), e);
    }
  }

  /** The reason as text, because the message of most of these is only the path. */
  private static String why(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "this process may not read it";
    }
    return "it cannot be read (" + failure.getMessage() + ")";
  }

  private static ConfigException refuse(
      EffectiveValue<String> file, String reason, Exception cause) {
    return Setting.SECRET_FILE.refuse(file.value(), file.source(), reason, cause);
  }

  /** Reads little more than a key, because a path such as /dev/zero must not fill the memory. */
  private static byte[] readBounded(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(Secret.MAX_BYTES + 3);
    }
  }

  /** Drops the newline that editors and echo put at the end of a file. */
  private static byte[] withoutNewline(byte[] content) {
    int end = content.length;
    if (end > 0 && content[end - 1] == '\n') {
      end--;
      if (end > 0 && content[end - 1] == '\r') {
        end--;
      }
    }
    return Arrays.copyOf(content, end);
  }

  private static boolean isReadableByOthers(Path path) throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return false;
    }
    Set<PosixFilePermission> granted = Files.getPosixFilePermissions(path);
    return granted.contains(PosixFilePermission.GROUP_READ)
        || granted.contains(PosixFilePermission.OTHERS_READ);
  }
}
