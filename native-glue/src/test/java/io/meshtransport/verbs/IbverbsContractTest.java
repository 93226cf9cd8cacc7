package io.meshtransport.verbs;

/**
 * The contract on a real device, or on Soft-RoCE: two addresses of one device, or one address that
 * talks to itself. {@link RealDevice} says how to choose it.
 */
@NeedsRdmaDevice
class IbverbsContractTest extends VerbsContractTest {
  @Override
  protected VerbsDevice openLeft() throws VerbsException {
    return RealDevice.openWithAddress(0);
  }

  @Override
  protected VerbsDevice openRight() throws VerbsException {
    return RealDevice.openWithAddress(1);
  }

  @Override
  protected Traits traits() {
    return RealDevice.traits();
  }
}
