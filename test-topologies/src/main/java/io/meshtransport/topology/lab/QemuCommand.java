// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The words that boot a guest. Always emulated: what works on one host then works on all, and a KVM
 * that is there but does not run this guest, as within many virtual machines, is of no harm.
 */
final class QemuCommand {
  /**
   * All features that can be emulated, except the bits that advertise a fast {@code rep movsb}: the
   * emulator copies byte by byte there, and a kernel without these bits copies twice as fast.
   */
  private static final String PROCESSOR = "max,-erms,-fsrm";

  private QemuCommand() {}

  static List<String> arguments(
      Path qemu,
      LabImage image,
      LabOptions options,
      GuestFiles files,
      String node,
      List<GuestNic> nics) {
    List<String> words = new ArrayList<>(List.of(qemu.toString()));
    words.addAll(List.of("-nodefaults", "-display", "none", "-no-reboot"));
    words.addAll(List.of("-accel", "tcg,thread=multi", "-cpu", PROCESSOR));
    words.addAll(List.of("-smp", String.valueOf(options.processors())));
    words.addAll(List.of("-m", options.memoryMiB() + "M"));
    words.addAll(List.of("-kernel", image.kernel().toString()));
    words.addAll(List.of("-initrd", image.initrd().toString()));
    // No reboot after a panic, so that QEMU ends; interfaces keep the names the kernel gives; and
    // no
    // check of the timer, which comes late on a busy host and would be taken for broken.
    words.addAll(
        List.of(
            "-append",
            "console=ttyS0 quiet panic=-1 mitigations=off net.ifnames=0 no_timer_check"));
    words.addAll(List.of("-serial", "file:" + files.console(node)));
    words.addAll(List.of("-virtfs", share("/", "host") + ",readonly=on,multidevs=remap"));
    words.addAll(List.of("-virtfs", share(files.share(node).toString(), "share")));
    words.addAll(List.of("-device", "virtio-serial-pci"));
    words.addAll(List.of("-chardev", socket("agent", files.agentSocket(node))));
    words.addAll(List.of("-device", "virtserialport,chardev=agent,name=mesh.agent"));
    words.addAll(List.of("-chardev", socket("control", files.controlSocket(node))));
    words.addAll(List.of("-mon", "chardev=control,mode=control"));
    nics.forEach(nic -> words.addAll(nic(files, nic)));
    return words;
  }

  private static String share(String path, String tag) {
    return "local,path=" + quoted(path) + ",mount_tag=" + tag + ",security_model=none";
  }

  private static String socket(String id, Path path) {
    return "socket,id=" + id + ",path=" + quoted(path.toString());
  }

  /** In QEMU's lists of options a comma ends a value, and two stand for one. */
  private static String quoted(String path) {
    return path.replace(",", ",,");
  }

  /** A cable is two sockets for datagrams, one at each end, each packet a datagram. */
  private static List<String> nic(GuestFiles files, GuestNic nic) {
    String cable =
        "dgram,id=%s,local.type=unix,local.path=%s,remote.type=unix,remote.path=%s"
            .formatted(
                nic.emulatorName(),
                quoted(files.cableSocket(nic.cable(), nic.node()).toString()),
                quoted(files.cableSocket(nic.cable(), nic.peer()).toString()));
    String device =
        "virtio-net-pci,netdev=%s,mac=%s,host_mtu=%d,romfile="
            .formatted(nic.emulatorName(), nic.mac(), GuestNic.MAX_MTU_BYTES);
    return List.of("-netdev", cable, "-device", device);
  }
}
