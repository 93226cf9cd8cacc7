// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes what the kernel would show below {@code /sys} into a folder of a test. What the kernel
 * answers with EINVAL becomes a folder in place of the file: reading that fails too.
 */
final class SysfsTree {
  private final Path root;

  SysfsTree(Path root) {
    this.root = root;
  }

  Path root() {
    return root;
  }

  /** A network interface that is up; {@code speedMbps} of 0 writes what a virtual device says. */
  SysfsTree netdev(String name, int ifindex, int speedMbps) {
    String folder = "class/net/" + name;
    write(folder + "/ifindex", ifindex + "");
    write(folder + "/operstate", "up");
    write(folder + "/speed", (speedMbps == 0 ? -1 : speedMbps) + "");
    return this;
  }

  /** An RDMA device without hardware below it. */
  Device device(String name) {
    write("class/infiniband/" + name + "/node_type", "1: CA");
    return new Device(name);
  }

  /** What programs open to use an RDMA device: {@code uverbs0} and so on. */
  SysfsTree verbsDevice(int number, String device) {
    return write("class/infiniband_verbs/uverbs" + number + "/ibdev", device);
  }

  SysfsTree write(String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  SysfsTree folder(String path) {
    try {
      Files.createDirectories(root.resolve(path));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void link(String path, Path target) {
    try {
      Path link = root.resolve(path);
      Files.createDirectories(link.getParent());
      Files.createSymbolicLink(link, link.getParent().relativize(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A device, until its ports are asked for. */
  final class Device {
    private final String name;

    private Device(String name) {
      this.name = name;
    }

    /** Hangs it below a PCI function that has these network interfaces. */
    Device pci(String address, int numaNode, String... netdevs) {
      String function = "devices/pci0000:00/" + address;
      write(function + "/numa_node", numaNode + "");
      for (String netdev : netdevs) {
        folder(function + "/net/" + netdev);
      }
      link("class/infiniband/" + name + "/device", root.resolve(function));
      return this;
    }

    Device file(String file, String text) {
      write("class/infiniband/" + name + "/" + file, text);
      return this;
    }

    /** An ACTIVE Ethernet port whose GID table has no rows yet. */
    Port port(int port) {
      return new Port("class/infiniband/" + name + "/ports/" + port)
          .file("state", "4: ACTIVE")
          .file("phys_state", "5: LinkUp")
          .file("link_layer", "Ethernet")
          .file("rate", "100 Gb/sec (4X EDR)");
    }
  }

  /** A port; each method replaces or adds. */
  final class Port {
    private final String folder;

    private Port(String folder) {
      this.folder = folder;
      folder(folder + "/gids");
    }

    Port file(String file, String text) {
      write(folder + "/" + file, text);
      return this;
    }

    /** A RoCE v2 row. */
    Port v2(int index, String address, String netdev) {
      return row(index, address, "RoCE v2", netdev);
    }

    /** A RoCE v1 row, and the v2 row behind it that mlx5 always has as well. */
    Port v1AndV2(int index, String address, String netdev) {
      return row(index, address, "IB/RoCE v1", netdev).v2(index + 1, address, netdev);
    }

    Port row(int index, String address, String type, String netdev) {
      file("gids/" + index, Gid.of(AddressText.parse(address)).toString());
      file("gid_attrs/types/" + index, type);
      return file("gid_attrs/ndevs/" + index, netdev);
    }

    /** Rows that were never filled. */
    Port emptyRows(int from, int to) {
      for (int index = from; index <= to; index++) {
        file("gids/" + index, Gid.ZERO.toString());
        folder(folder + "/gid_attrs/types/" + index);
        folder(folder + "/gid_attrs/ndevs/" + index);
      }
      return this;
    }

    /** A row without the file that names its interface. */
    Port unreadableNdev(int index, String address) {
      file("gids/" + index, Gid.of(AddressText.parse(address)).toString());
      file("gid_attrs/types/" + index, "RoCE v2");
      folder(folder + "/gid_attrs/ndevs/" + index);
      return this;
    }
  }
}
