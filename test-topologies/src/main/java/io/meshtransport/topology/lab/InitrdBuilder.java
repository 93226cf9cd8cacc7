// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * Makes the initial RAM disk: a static busybox, the modules a guest needs, and init.sh. Everything
 * else a guest sees is the host's own file system.
 */
final class InitrdBuilder {
  /**
   * Loaded at boot. rxe computes its checksums with crc32, which nothing loads for it; the two
   * schedulers slow a cable down and lose packets on it.
   */
  static final List<String> MODULES =
      List.of(
          "virtio_pci",
          "virtio_console",
          "virtio_net",
          "9pnet_virtio",
          "9p",
          "overlay",
          "crc32_generic",
          "crc32c_generic",
          "ib_uverbs",
          "rdma_ucm",
          "rdma_rxe",
          "sch_tbf",
          "sch_netem");

  // Raise it when the archive is put together in another way: it makes all cached ones stale.
  private static final int FORMAT = 2;

  private static final String INIT = "init.sh";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final List<String> FOLDERS =
      List.of("bin", "dev", "proc", "sys", "ro", "rw", "newroot", "modules");
  private static final List<String> APPLETS =
      List.of("sh", "mount", "mkdir", "insmod", "chroot", "poweroff", "echo");

  private final Path busybox;

  /**
   * @param busybox linked statically, for it is alone in the RAM disk
   */
  InitrdBuilder(Path busybox) {
    this.busybox = busybox;
  }

  /**
   * Tells apart what this class makes of a kernel from what another version of it made, or another
   * busybox: all that goes into it but the kernel's modules.
   */
  static String fingerprint() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(init());
      String parts = FORMAT + "\n" + MODULES + "\n" + FOLDERS + "\n" + APPLETS + "\n";
      digest.update(parts.getBytes(StandardCharsets.UTF_8));
      Optional<Path> busybox = Programs.find("busybox");
      if (busybox.isPresent()) {
        digest.update(Files.readAllBytes(busybox.get()));
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    } catch (IOException e) {
      throw new UncheckedIOException("busybox cannot be read: " + e.getMessage(), e);
    }
  }

  private static byte[] init() {
    try (InputStream script = InitrdBuilder.class.getResourceAsStream(INIT)) {
      return script.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(INIT + " is part of this module", e);
    }
  }

  /**
   * @param modules folder lib/modules/VERSION of an unpacked kernel package, which depmod has seen
   * @param initrd file to write
   */
  void build(Path modules, Path initrd) throws IOException {
    List<String> files = ModuleOrder.of(modules).files(MODULES, ModuleOrder.builtIn(modules));
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(initrd))) {
      CpioArchive archive = new CpioArchive(out);
      for (String folder : FOLDERS) {
        archive.folder(folder);
      }
      archive.program("bin/busybox", Files.readAllBytes(busybox));
      for (String applet : APPLETS) {
        archive.link("bin/" + applet, "busybox");
      }
      StringBuilder order = new StringBuilder();
      for (String file : files) {
        Path module = unpacked(modules.resolve(file));
        order.append(module.getFileName()).append('\n');
        archive.program("modules/" + module.getFileName(), Files.readAllBytes(module));
      }
      archive.program("modules/order", order.toString().getBytes(StandardCharsets.UTF_8));
      archive.program("init", init());
      archive.end();
    }
  }

  /** Newer Debians pack their modules, which insmod of busybox cannot read. */
  private static Path unpacked(Path module) {
    String name = module.getFileName().toString();
    if (name.endsWith(".ko")) {
      return module;
    }
    if (!name.endsWith(".ko.xz")) {
      throw new FabricException("kernel module " + module + " is packed in an unknown way");
    }
    new HostProgram(module.getParent(), LIMIT, "xz", "--decompress", module.toString()).run();
    return module.resolveSibling(name.substring(0, name.length() - ".xz".length()));
  }
}
