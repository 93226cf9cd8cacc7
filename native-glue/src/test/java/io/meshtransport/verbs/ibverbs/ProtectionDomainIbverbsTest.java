// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Protection domains of a real device, and what keeps them alive. */
@NeedsRdmaDevice
class ProtectionDomainIbverbsTest {
  private static final int MANY = 64;

  private VerbsDevice device;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  @Test
  void shouldAllocateAndCloseTwiceWithoutHarm() throws VerbsException {
    ProtectionDomain domain = device.allocateProtectionDomain();
    domain.close();
    domain.close();
    expectErrno(Errno.EBADF, () -> domain.register(ByteBuffer.allocateDirect(8), 0));
    expectErrno(Errno.EBADF, () -> domain.createSharedReceiveQueue(8, 1));
  }

  @Test
  void shouldAllocateManyAndCloseThemInAnyOrder() throws VerbsException {
    List<ProtectionDomain> domains = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      domains.add(device.allocateProtectionDomain());
    }
    Collections.swap(domains, 0, MANY - 1);
    expectErrno(Errno.EBUSY, device::close);
    for (ProtectionDomain domain : domains) {
      domain.close();
    }
  }

  @Test
  void shouldOutliveWhateverWasMadeFromIt() throws VerbsException {
    ProtectionDomain domain = device.allocateProtectionDomain();
    SharedReceiveQueue shared = domain.createSharedReceiveQueue(8, 1);
    VerbsException refusal = expectErrno(Errno.EBUSY, domain::close);
    assertTrue(refusal.getMessage().contains("protection domain"), refusal.getMessage());
    shared.close();
    AddressHandle way =
        domain.createAddressHandle(
            new PeerAddress(
                device.gidTable(1).get(0).gid(), 0, device.gidTable(1).get(0).index(), 1, 0, 0),
            1);
    expectErrno(Errno.EBUSY, domain::close);
    way.close();
    domain.close();
  }
}
