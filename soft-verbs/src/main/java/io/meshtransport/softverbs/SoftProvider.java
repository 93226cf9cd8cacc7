// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.softverbs.host.DevicePort;
import io.meshtransport.softverbs.host.LoopbackPort;
import io.meshtransport.softverbs.host.NetdevPort;
import io.meshtransport.softverbs.host.NetdevState;
import io.meshtransport.softverbs.host.ProcNetTcp;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.tcp.SharedDriver;
import io.meshtransport.softverbs.tcp.TcpNetwork;
import io.meshtransport.verbs.Availability;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProvider;
import io.meshtransport.verbs.WirePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;

/**
 * RDMA verbs in software, over TCP: works on every host that has a network interface. A device is
 * named as its netdev, or {@code lo-127.x.y.z} for an address within the host. Any thread.
 */
public final class SoftProvider implements VerbsProvider {
  /** Below every provider that drives hardware. */
  private static final int RANK = 0;

  private static final Path KERNEL_TABLES = Path.of("/proc/self/net");

  /** Of all devices that this provider has opened. */
  private final SharedDriver driver = new SharedDriver();

  @Override
  public String name() {
    return "soft";
  }

  @Override
  public int rank() {
    return RANK;
  }

  @Override
  public Availability availability() {
    return Availability.yes("software queue pairs over TCP work on every host");
  }

  /** The netdevs that are up and have an address; loopback devices only open by name. */
  @Override
  public List<String> deviceNames() {
    try {
      return NetworkInterface.networkInterfaces()
          .filter(NetdevState::isUsable)
          .map(NetworkInterface::getName)
          .filter(name -> !name.equals("lo"))
          .sorted()
          .toList();
    } catch (SocketException e) {
      // The kernel says so when there are none.
      return List.of();
    }
  }

  @Override
  public VerbsDevice open(String deviceName) throws VerbsException {
    return open(deviceName, WirePort.ANY);
  }

  @Override
  public VerbsDevice open(String deviceName, WirePort wirePort) throws VerbsException {
    try {
      DevicePort port = port(deviceName);
      TcpNetwork network = new TcpNetwork(driver, port, wirePort, new ProcNetTcp(KERNEL_TABLES));
      try {
        return new SoftDevice(deviceName, network);
      } catch (UncheckedIOException e) {
        network.abandon();
        throw e.getCause();
      } catch (RuntimeException | Error e) {
        network.abandon();
        throw e;
      }
    } catch (BindException e) {
      throw new VerbsException(
          Errno.EADDRINUSE, "soft device " + deviceName + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new VerbsException(
          Errno.ENODEV, "cannot listen for soft device " + deviceName + ": " + e.getMessage(), e);
    }
  }

  private static DevicePort port(String deviceName) throws IOException, VerbsException {
    if (LoopbackPort.isNamedBy(deviceName)) {
      return loopback(deviceName);
    }
    NetworkInterface netdev = NetworkInterface.getByName(deviceName);
    if (netdev == null) {
      throw new VerbsException(
          Errno.ENODEV,
          "no network interface "
              + deviceName
              + " on this host; `ip addr` lists them, and lo-127.x.y.z is one for tests");
    }
    return new NetdevPort(deviceName, netdev.getIndex());
  }

  private static DevicePort loopback(String deviceName) throws VerbsException {
    try {
      return LoopbackPort.of(deviceName);
    } catch (UnknownHostException e) {
      throw new VerbsException(
          Errno.ENODEV, deviceName + " does not hold an IPv4 address after lo-", e);
    }
  }
}
