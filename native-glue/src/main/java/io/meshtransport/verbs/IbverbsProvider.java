package io.meshtransport.verbs;

import java.util.List;

/**
 * RDMA hardware, and what looks like it, through libibverbs. This version finds the devices but
 * does not drive them: it says so, and is never available. Any thread.
 */
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
    return Availability.no(probe.reason());
  }

  /** Always empty, as long as {@link #availability()} is no. */
  @Override
  public List<String> deviceNames() {
    return List.of();
  }

  /** Always refused: ENODEV without devices, EOPNOTSUPP with them. */
  @Override
  public VerbsDevice open(String deviceName) throws VerbsException {
    throw new VerbsException(
        probe.deviceNames().isEmpty() ? Errno.ENODEV : Errno.EOPNOTSUPP,
        "cannot open " + deviceName + ": " + probe.reason());
  }
}
