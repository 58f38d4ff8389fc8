using System.Xml.Linq;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>Versions below which a package has a defect that no other test can see.</summary>
public sealed class PinnedPackagesTests
{
    [Theory]
    [InlineData("Azure.Messaging.ServiceBus", "7.20.2")] // before it, a receive loop went on without a pause after its final error
    public void A_package_has_at_least_the_version_that_works(string package, string least)
    {
        var pins = XDocument.Load(Path.Combine(Repository.Root, "Directory.Packages.props")).Descendants("PackageVersion");

        var pin = Assert.Single(pins, pin => pin.Attribute("Include")?.Value == package);

        Assert.True(Version.Parse(pin.Attribute("Version")!.Value) >= Version.Parse(least), $"{pin}");
    }
}
