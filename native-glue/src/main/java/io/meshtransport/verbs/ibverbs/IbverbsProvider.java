// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.Availability;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ForkSafety;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProvider;
import java.util.List;

/**
 * RDMA hardware, and Soft-RoCE or soft iWARP, through libibverbs. Available if the library is
 * installed, the processor is x86-64 or aarch64, and a device can be opened. Any thread.
 */
public final class IbverbsProvider implements VerbsProvider {
  /** Above software: where hardware can be used, it is. */
  private static final int RANK = 100;

  private final LibibverbsProbe probe;

  /** For {@link java.util.ServiceLoader}. */
  public IbverbsProvider() {
    this(LibibverbsProbe.ofThisHost());
  }

  /**
   * The same through another build of the library, for example one that was just compiled.
   *
   * @param library path or soname
   */
  public static IbverbsProvider through(String library) {
    return new IbverbsProvider(LibibverbsProbe.of(library));
  }

  IbverbsProvider(LibibverbsProbe probe) {
    this.probe = probe;
  }

  @Override
  public String name() {
    return "ibverbs";
  }

  @Override
  public int rank() {
    return RANK;
  }

  @Override
  public Availability availability() {
    return probe.availability();
  }

  @Override
  public List<String> deviceNames() {
    if (!probe.availability().available()) {
      return List.of();
    }
    try (DeviceList devices = DeviceList.ask(probe.library().orElseThrow())) {
      return devices.names();
    } catch (VerbsException e) {
      // The kernel's RDMA core was unloaded since the probe: no device is present now.
      return List.of();
    }
  }

  /**
   * Opens a device of libibverbs, even if there was none when the provider was probed.
   *
   * @throws VerbsException ENODEV if there is no such device, EACCES or EPERM if this user may not
   *     use it, EOPNOTSUPP if the layout of the library's structures is unknown. A retry helps only
   *     after the host has changed.
   */
  @Override
  public VerbsDevice open(String deviceName) throws VerbsException {
    if (probe.library().isEmpty()) {
      throw new VerbsException(
          Errno.ENODEV, "cannot open " + deviceName + ": " + probe.availability().reason());
    }
    return DeviceList.open(probe.library().get(), deviceName);
  }

  /**
   * How posting, polling and arming leave Java in this process: through JNA, or on Java 22 and
   * newer through java.lang.foreign, where this library's jar has the classes for it.
   */
  public static String callsThrough() {
    return InlineBinding.way();
  }

  /**
   * Whether native code in this process may fork while memory is registered.
   *
   * @return UNKNOWN also if there is no library
   */
  public ForkSafety forkSafety() {
    return probe
        .library()
        .flatMap(library -> library.newer().fork())
        .map(verb -> ForkSafety.ofCode(verb.ibv_is_fork_initialized()))
        .orElse(ForkSafety.UNKNOWN);
  }
}
