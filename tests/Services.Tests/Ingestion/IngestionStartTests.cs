namespace DroneDelivery.Services.Tests.Ingestion;

/// <summary>A mistake in the settings ends the process with one line that names the setting and what to do.</summary>
public sealed class IngestionStartTests
{
    private const string Good = "Endpoint=sb://localhost:5672;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true";

    [Theory]
    [InlineData("ServiceBus:ConnectionString", "Endpoint=sb//localhost", "Expected Endpoint=sb://")]
    [InlineData("ServiceBus:ConnectionString", "", "ServiceBus:FullyQualifiedNamespace")]
    [InlineData("ServiceBus:QueueName", "", "delivery-requests")]
    [InlineData("ServiceBus:SendTimeout", "00:00:00", "between")]
    [InlineData("ServiceBus:SendTimeout", "soon", "ServiceBus:SendTimeout")]
    [InlineData("ServiceBus:FullyQualifiedNamespace", "x.servicebus.windows.net", "Keep the one that is meant")]
    [InlineData("Ingestion:AcceptanceKey", "secret", "openssl rand -base64 32")]
    [InlineData("Ingestion:AcceptanceKey", "c2hvcnQ=", "at least 32 bytes")]
    [InlineData("Ingestion:AcceptanceLifetime", "00:00:00", "between")]
    public async Task A_wrong_setting_is_named(string setting, string value, string hint)
    {
        var settings = new Dictionary<string, string?> { ["ServiceBus:ConnectionString"] = Good, [setting] = value };
        await using var process = ServiceProcess.Start("Ingestion", settings);

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.Contains(setting, process.Errors, StringComparison.Ordinal);
        Assert.Contains(hint, process.Errors, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", process.Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ServiceBus:FullyQualifiedNamespace", "drones.servicebus.windows.net")]
    [InlineData("ServiceBus:ConnectionString", "Endpoint=sb://drones.servicebus.windows.net;SharedAccessSignature=SharedAccessSignature x")]
    public async Task Without_a_shared_key_to_derive_it_from_the_key_of_acceptances_is_required(string setting, string value)
    {
        await using var process = ServiceProcess.Start("Ingestion", new() { [setting] = value });

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.Contains("Ingestion:AcceptanceKey", process.Errors, StringComparison.Ordinal);
        Assert.Contains("openssl rand -base64 32", process.Errors, StringComparison.Ordinal);
    }
}
