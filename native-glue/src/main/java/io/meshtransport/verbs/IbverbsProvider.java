package io.meshtransport.verbs;

import java.util.List;

/** RDMA hardware, and what looks like it, through libibverbs. Any thread. */
public final class IbverbsProvider implements VerbsProvider {
  /** Above software: where hardware can be used, it is. */
  private static final int RANK = 100;

  private final LibibverbsProbe probe;

  /** For {@link java.util.ServiceLoader}. */
  public IbverbsProvider() {
    this(LibibverbsProbe.ofThisHost());
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
    return probe.deviceNames().isEmpty()
        ? Availability.no(probe.reason())
        : Availability.yes(probe.reason());
  }

  @Override
  public List<String> deviceNames() {
    return probe.deviceNames();
  }

  @Override
  public VerbsDevice open(String deviceName) throws VerbsException {
    if (probe.deviceNames().isEmpty()) {
      throw new VerbsException(Errno.ENODEV, "cannot open " + deviceName + ": " + probe.reason());
    }
    return DeviceList.open(Libibverbs.ofThisHost(), deviceName);
  }
}
