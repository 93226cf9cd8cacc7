// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which modules this one may use: the test of all modules does not see it. */
@AnalyzeClasses(
    packages = "io.meshtransport.jlama",
    importOptions = ImportOption.DoNotIncludeTests.class)
@ArchTag("slow")
class JlamaArrowsTest {
  @ArchTest
  static final ArchRule USES_WHAT_IS_PUBLIC_AND_THE_HARNESS =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.meshtransport..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.meshtransport.jlama",
                              "io.meshtransport.collectives",
                              "io.meshtransport.spi",
                              "io.meshtransport.topology",
                              // The addresses at a topology's cables.
                              "io.meshtransport.nic"))));
}
