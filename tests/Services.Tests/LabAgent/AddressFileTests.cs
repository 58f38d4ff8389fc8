using DroneDelivery.LabAgent;
using Microsoft.Extensions.Configuration;

namespace DroneDelivery.Services.Tests.LabAgent;

public sealed class AddressFileTests
{
    [Fact]
    public async Task Addresses_are_read_from_the_file_and_follow_its_changes()
    {
        using var folder = new TemporaryFolder();
        var file = folder.Write("backend.addresses", "http://127.0.0.1:1", "http://127.0.0.1:2");
        var configuration = InLab(file);
        Assert.Equal(["http://127.0.0.1:1", "http://127.0.0.1:2"], Addresses(configuration));

        folder.Write("backend.addresses", "http://127.0.0.1:2");
        await Eventually.TrueAsync(() => Addresses(configuration).SequenceEqual(["http://127.0.0.1:2"]));
        folder.Write("backend.addresses", "http://127.0.0.1:2", "http://127.0.0.1:3");
        await Eventually.TrueAsync(() =>
            Addresses(configuration).SequenceEqual(["http://127.0.0.1:2", "http://127.0.0.1:3"])
        );
    }

    [Fact]
    public void Missing_address_file_is_named() =>
        Assert.Contains(
            "backend.addresses",
            Assert.Throws<FileNotFoundException>(() => InLab("/tmp/backend.addresses")).Message,
            StringComparison.Ordinal
        );

    private static ConfigurationManager InLab(string file)
    {
        var configuration = new ConfigurationManager { ["services:backend:file"] = file };
        configuration.AddAddressFiles(configuration);
        return configuration;
    }

    private static IEnumerable<string?> Addresses(ConfigurationManager configuration) =>
        configuration
            .GetSection("Services:backend:http") // The spelling of service discovery.
            .GetChildren()
            .Select(entry => entry.Value);
}
