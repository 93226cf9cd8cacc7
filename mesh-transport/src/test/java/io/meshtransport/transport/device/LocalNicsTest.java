// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How a transport's NICs follow its host.
 *
 * <p>Also tests {@link NicAbsence}, {@link NicHost}, {@link NicLog}, {@link RetiredNics}, {@link
 * Teardown} and {@link VerbsGidTables}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalNicsTest {
  private static final int BYTES = 4096;

  /** Within so many looks whatever was hidden, or is tried again, has been seen. */
  private static final int SOON = 12;

  private final MadeUpNicHost host = new MadeUpNicHost();
  private final List<LocalNics.Gone> gone = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private LocalNics nics;

  @BeforeEach
  void openOneOfTwo() {
    host.with("eth0", 2, true, "10.0.1.1/24").with("eth1", 3, false, "10.0.2.1/24");
    nics = LocalNics.of(host, refusals);
  }

  @AfterEach
  void close() {
    IllegalStateException leak = new IllegalStateException();
    nics.close(leak);
    assertEquals(0, leak.getSuppressed().length, () -> leak.getSuppressed()[0].toString());
  }

  private boolean look() {
    return nics.scan(gone::add);
  }

  private void lookForAWhile() {
    for (int i = 0; i < SOON; i++) {
      look();
    }
  }

  /** As in {@code 0 eth0 ACTIVE [10.0.1.1/24]}. */
  private List<String> now() {
    return nics.now().stream()
        .map(
            nic ->
                nic.index()
                    + " "
                    + nic.nic().netdev()
                    + " "
                    + nic.nic().state()
                    + " "
                    + nic.nic().addresses())
        .toList();
  }

  private OpenNic nic(String name) {
    return nics.now().stream()
        .filter(nic -> nic.nic().netdev().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Registration memory() throws VerbsException {
    return nics.registrations()
        .make(List.of(ByteBuffer.allocateDirect(BYTES)), Set.of(RemoteAccess.GET));
  }

  @Test
  void shouldKeepAPortWithoutACarrierAndUseItOnceItHasOne() {
    assertEquals(List.of("0 eth0 ACTIVE [10.0.1.1/24]", "1 eth1 DOWN [10.0.2.1/24]"), now());
    assertEquals(List.of(), refusals);
    OpenNic before = nic("eth1");

    host.with("eth1", 3, true, "10.0.2.1/24");
    assertTrue(look());

    assertSame(before, nic("eth1"));
    assertEquals(List.of("0 eth0 ACTIVE [10.0.1.1/24]", "1 eth1 ACTIVE [10.0.2.1/24]"), now());
  }

  @Test
  void shouldOpenWhereNoPortHasACarrier() {
    MadeUpNicHost dark = new MadeUpNicHost().with("eth0", 2, false, "10.0.1.1/24");
    LocalNics waiting = LocalNics.of(dark, refusals);
    assertEquals(1, waiting.now().size());
    waiting.close(new IllegalStateException());
  }

  @Test
  void shouldSeeWhatComesAndWhatChangesItsAddress() {
    host.with("eth2", 4, true);
    look();
    assertEquals(2, nics.now().size(), "without an address it is no NIC");

    host.with("eth2", 4, true, "10.0.3.1/24");
    assertTrue(look());
    assertEquals("2 eth2 ACTIVE [10.0.3.1/24]", now().get(1));

    host.with("eth2", 4, true, "10.0.4.1/24", "10.0.3.1/24");
    assertTrue(look());
    assertEquals("2 eth2 ACTIVE [10.0.4.1/24, 10.0.3.1/24]", now().get(1));
    assertEquals(3, host.opened());
  }

  @Test
  void shouldLookAtNothingTwiceWhereNothingChanges() {
    lookForAWhile();
    int before = host.looks();
    lookForAWhile();
    assertEquals(before, host.looks());
    assertFalse(look());
  }

  @Test
  void shouldKeepADeviceWhoseAddressIsAwayForAWhile() {
    OpenNic before = nic("eth0");
    host.with("eth0", 2, true);
    assertTrue(look());
    assertEquals(List.of("1 eth1 DOWN [10.0.2.1/24]"), now());
    lookForAWhile();

    host.with("eth0", 2, true, "10.0.1.1/24");
    assertTrue(look());

    assertSame(before, nic("eth0"));
    assertEquals(List.of(), gone);
  }

  @Test
  void shouldRegisterAllMemoryWithWhatComes() throws VerbsException {
    Registration before = memory();
    host.with("eth2", 4, true, "10.0.3.1/24");
    look();
    Registration after = memory();

    for (Registration each : List.of(before, after)) {
      for (int nic = 0; nic < 3; nic++) {
        assertNotNull(each.on(nic));
        assertNotEquals(each.on(nic), each.givenOn(nic));
      }
      nics.registrations().end(each, BYTES);
    }
  }

  @Test
  void shouldLeaveOutWhatCannotRegisterTheMemoryAndTryAgain() throws VerbsException {
    Registration memory = memory();
    host.unregistrable("eth2");
    host.with("eth2", 4, true, "10.0.3.1/24");

    assertFalse(look());
    assertEquals(2, nics.now().size());
    assertFalse(memory.isOn(2));
    nics.registrations().end(memory(), BYTES);

    host.unregistrable("");
    lookForAWhile();
    assertEquals(3, nics.now().size());
    assertTrue(memory.isOn(2));
    nics.registrations().end(memory, BYTES);
  }

  @Test
  void shouldCloseWhatIsGoneOnceNothingUsesIt() throws VerbsException {
    Registration memory = memory();
    OpenNic eth0 = nic("eth0");
    OpenNic.Use use = eth0.use();
    host.remove("eth0");
    look();
    look();

    assertEquals(List.of(eth0), gone.stream().map(LocalNics.Gone::nic).toList());
    assertEquals("its interface was removed", gone.get(0).why());
    assertEquals(List.of("1 eth1 DOWN [10.0.2.1/24]"), now());
    lookForAWhile();
    assertTrue(memory.isOn(0), "somebody uses it");

    use.close();
    look();
    assertFalse(memory.isOn(0));
    assertThrows(VerbsException.class, eth0::use);
    long closed =
        host.device("eth0").calls(MemoryRegion.class).stream()
            .filter(call -> call.method().equals("close"))
            .count();
    assertEquals(2, closed);
    nics.registrations().end(memory, BYTES);
  }

  @Test
  void shouldGiveAnInterfaceThatComesBackTheIndexItHad() throws VerbsException {
    host.remove("eth0");
    look();
    look();
    host.with("eth2", 4, true, "10.0.3.1/24").with("eth0", 9, true, "10.0.1.1/24");
    look();
    assertEquals(0, nic("eth0").index());
    assertEquals(2, nic("eth2").index());

    // One that is replaced while it is in use lives on beside the new one.
    OpenNic.Use use = nic("eth0").use();
    host.with("eth0", 10, true, "10.0.1.1/24");
    look();
    assertEquals(3, nic("eth0").index());
    assertEquals(4, nics.indexBound());
    use.close();
  }

  @Test
  void shouldNotEndTheChannelsOfAnInterfaceThatIsRenamed() throws VerbsException {
    OpenNic.Use use = nic("eth0").use();
    host.remove("eth0");
    host.with("cable7", 2, true, "10.0.1.1/24");
    look();
    look();

    assertEquals(List.of(), gone);
    assertEquals(
        List.of("1 eth1 DOWN [10.0.2.1/24]", "2 cable7 ACTIVE [10.0.1.1/24]").stream()
            .sorted()
            .toList(),
        now().stream().sorted().toList());
    use.close();
  }

  /** Its socket would keep the data port at that address from the other's device. */
  @Test
  void shouldTakeAnAddressFromADeviceBeforeAnotherIsOpenedWithIt() throws VerbsException {
    OpenNic.Use use = nic("eth0").use();
    host.with("eth0", 2, true).with("eth2", 4, true, "10.0.1.1/24");
    List<Integer> asked = new ArrayList<>();
    WatchedDevice former = host.device("eth0");
    host.onOpen(() -> asked.add(former.gidTableReads()));
    int before = former.gidTableReads();
    look();
    assertEquals(List.of(before + 1), asked);

    // Another interface by the name of the first, whose channels go on.
    host.remove("eth0");
    host.with("eth3", 2, true).with("eth0", 5, true, "10.0.3.1/24");
    look();
    assertEquals(2, asked.size());
    assertTrue(asked.get(1) > asked.get(0));
    use.close();
  }

  @Test
  void shouldOpenADeviceAnewThatHasFailed() {
    OpenNic before = nic("eth0");
    host.device("eth0").report(AsyncEvent.Type.DEVICE_FATAL, 0);
    before.events().poll(System.nanoTime());

    assertFalse(look(), "its description is the same");

    assertEquals(1, gone.size());
    assertNotEquals(before, nic("eth0"));
    assertEquals(0, nic("eth0").index());
  }

  @Test
  void shouldStayAsItIsWhileTheHostCannotBeRead() {
    List<String> before = now();
    host.unreadable(new UncheckedIOException(new IOException("Too many open files")));
    host.remove("eth0");
    for (int i = 0; i < SOON; i++) {
      assertThrows(UncheckedIOException.class, this::look);
    }
    assertEquals(before, now());

    host.unreadable(null);
    look();
    look();
    assertEquals(1, gone.size());
  }

  @Test
  void shouldFindEveryMemoryOnEveryNicHoweverBothComeAtOnce() throws Exception {
    List<Registration> made = new ArrayList<>();
    AtomicBoolean isOver = new AtomicBoolean();
    Thread maker =
        new Thread(
            () -> {
              while (!isOver.get() || made.isEmpty()) {
                try {
                  Registration one = memory();
                  // Made when this many NICs were there, or more.
                  nics.now().forEach(nic -> assertTrue(one.isOn(nic.index())));
                  made.add(one);
                } catch (VerbsException e) {
                  throw new AssertionError(e);
                }
              }
            });
    AtomicBoolean isBroken = new AtomicBoolean();
    maker.setUncaughtExceptionHandler((thread, why) -> isBroken.set(true));
    maker.start();
    for (int i = 0; i < 40; i++) {
      host.with("late" + i, 100 + i, true, "10.1." + i + ".1/24");
      look();
    }
    isOver.set(true);
    maker.join();

    assertFalse(isBroken.get());
    for (Registration each : made) {
      nics.now().forEach(nic -> assertTrue(each.isOn(nic.index())));
      nics.registrations().end(each, BYTES);
    }
  }
}
