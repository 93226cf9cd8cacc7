// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/**
 * Who may know whom: arrows point up the list of modules in the parent pom, and JNA has one door.
 */
@AnalyzeClasses(
    packages = "io.meshtransport",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      ModuleArrowsTest.DoNotIncludeTestJars.class
    })
class ModuleArrowsTest {
  @ArchTest
  static final ArchRule ARROWS_POINT_UP =
      Architectures.layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("spi")
          .definedBy("io.meshtransport.spi..")
          .layer("config")
          .definedBy("io.meshtransport.config..")
          .layer("nic")
          .definedBy("io.meshtransport.nic..")
          .layer("verbs")
          .definedBy("io.meshtransport.verbs..")
          .layer("softverbs")
          .definedBy("io.meshtransport.softverbs..")
          .layer("handshake")
          .definedBy("io.meshtransport.handshake..")
          .layer("transport")
          .definedBy("io.meshtransport.transport..")
          .layer("topology")
          .definedBy("io.meshtransport.topology..")
          .whereLayer("spi")
          .mayNotAccessAnyLayer()
          .whereLayer("config")
          .mayNotAccessAnyLayer()
          .whereLayer("nic")
          .mayOnlyAccessLayers("config")
          // Attributes of a queue pair are made of the values that discovery found.
          .whereLayer("verbs")
          .mayOnlyAccessLayers("config", "nic")
          .whereLayer("softverbs")
          .mayOnlyAccessLayers("verbs", "nic", "config")
          .whereLayer("handshake")
          .mayOnlyAccessLayers("config", "nic")
          .whereLayer("transport")
          .mayOnlyAccessLayers("spi", "config", "nic", "verbs", "softverbs", "handshake")
          .whereLayer("topology")
          .mayNotBeAccessedByAnyLayer();

  @ArchTest
  static final ArchRule SOFT_VERBS_HAS_NO_CYCLES =
      SlicesRuleDefinition.slices()
          .matching("io.meshtransport.softverbs.(*)..")
          .should()
          .beFreeOfCycles();

  @ArchTest
  static final ArchRule SOFT_VERBS_ARROWS_POINT_DOWN =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.meshtransport.softverbs.rc..", "io.meshtransport.softverbs.frame..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.meshtransport.softverbs.tcp..",
              "io.meshtransport.softverbs.host..",
              "io.meshtransport.softverbs.sim..")
          .because("the rules of queue pairs know no socket");

  @ArchTest
  static final ArchRule ONLY_NATIVE_GLUE_TOUCHES_JNA =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.meshtransport.verbs..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.sun.jna..", "java.lang.foreign..")
          .because("the verbs interfaces are the whole border to native code");

  @ArchTest
  static final ArchRule NOTHING_NAMES_WHAT_DRIVES_LIBIBVERBS =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.meshtransport.verbs.ibverbs..", "io.meshtransport.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.meshtransport.verbs.ibverbs..")
          .because("VerbsProviders finds it as it finds any other provider");

  @ArchTest
  static final ArchRule LIBRARIES_LOG_THROUGH_THE_API =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.logging.log4j.core..")
          .because("which back end logs is the application's choice");

  @ArchTest
  static final ArchRule ONLY_HANDSHAKE_SPEAKS_NETTY =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.meshtransport.handshake..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..");

  @ArchTest
  static final ArchRule ONLY_CONFIG_READS_THE_ENVIRONMENT =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.meshtransport.config..", "io.meshtransport.topology..")
          .should()
          .callMethod(System.class, "getenv", String.class)
          .orShould()
          .callMethod(System.class, "getenv")
          .because("settings are read once, into one checked record");

  /** Tests of other modules, which choose their device by the environment. */
  static final class DoNotIncludeTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }
}
