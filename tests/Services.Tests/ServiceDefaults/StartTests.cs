using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>A mistake in the configuration ends the process with one line that names the option.</summary>
public sealed class StartTests
{
    [Theory]
    [InlineData("Package", "Database:ConnectionString", "somewhere")]
    [InlineData("Package", "Database:WriteTimeout", "01:00:00")]
    [InlineData("Package", "Database:WriteTimeout", "soon")]
    [InlineData("Package", "Database:ConectionString", "Data Source=x.db", "ConectionString")]
    [InlineData("Package", "Kestrel:Certificates:Default:Path", "/nowhere.pfx", "Kestrel:Certificates")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "nonsense", "'nonsense'")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "ftp://127.0.0.1:0", "Kestrel:Endpoints")]
    [InlineData("Package", "Logging:Console:FormatterName", "jsn")]
    [InlineData("Package", "OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", "OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317'")]
    [InlineData("Package", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json'")]
    [InlineData("DroneScheduler", "Retention:Period", "14.00:00:00")]
    [InlineData("DroneScheduler", "Retention:Interval", "00:00:00")]
    [InlineData("DroneScheduler", "Retention:BatchSize", "0")]
    [InlineData("Delivery", "Redis:ConnectionString", "")]
    [InlineData("Delivery", "Redis:OperationTimeout", "00:00:00")]
    [InlineData("Delivery", "Redis:KeyTimeToLive", "-1")]
    [InlineData("Tracking", "Tracking:ConnectionString", "")]
    [InlineData("Tracking", "Tracking:ConnectionString", "somewhere")]
    [InlineData("Tracking", "Tracking:Endpoint", "http://hits.table.core.windows.net", "no token goes over plain http")]
    [InlineData("Tracking", "Tracking:Writer", "Fast")]
    [InlineData("Tracking", "Tracking:BatchSize", "101")]
    [InlineData("Tracking", "Tracking:Tables:0", "1st", "Tracking:Tables")]
    [InlineData("Tracking", "Tracking:Writer", "Queue", "ServiceBus:ConnectionString")]
    [InlineData("Ingestion", "ServiceBus:ConnectionString", "Endpoint=sb//localhost", "Expected Endpoint=sb://")]
    [InlineData("Ingestion", "ServiceBus:ConnectionString", "", "ServiceBus:FullyQualifiedNamespace")]
    [InlineData("Ingestion", "ServiceBus:QueueName", "", "delivery-requests")]
    [InlineData("Ingestion", "ServiceBus:SendTimeout", "00:00:00")]
    [InlineData("Ingestion", "ServiceBus:FullyQualifiedNamespace", "x.servicebus.windows.net", "Keep the one that is meant")]
    [InlineData("Ingestion", "Ingestion:AcceptanceKey", "secret", "openssl rand -base64 32")]
    [InlineData("Ingestion", "Ingestion:AcceptanceKey", "c2hvcnQ=", "at least 32 bytes")]
    [InlineData("Ingestion", "Ingestion:AcceptanceLifetime", "00:00:00")]
    [InlineData("Ingestion", "Ingestion:MaxConcurrentRequests", "-1")]
    [InlineData("Ingestion", "Ingestion:MaxWaitingRequests", "-1")]
    [InlineData("Ingestion", "Ingestion:RequestTimeout", "-00:00:01")]
    [InlineData("Ingestion", "Ingestion:RequestTimeout", "01:00:00")]
    [InlineData("Ingestion", "RateLimit:Permits", "0")]
    [InlineData("Ingestion", "RateLimit:Window", "00:00:00")]
    [InlineData("Ingestion", "RateLimit:Proxies", "11")]
    [InlineData("Ingestion", "Authentication:Enabled", "true", "Authentication:Authority")]
    [InlineData("Ingestion", "Authentication:Authority", "http://login.example", "https://")]
    [InlineData("Ingestion", "Authentication:Authority", "https://login.example", "Authentication:Audience")]
    [InlineData("Ingestion", "Authentication:OwnerClaim", "")]
    [InlineData("Workflow", "Workflow:MaxConcurrentCalls", "0")]
    [InlineData("Workflow", "Workflow:PrefetchCount", "-1")]
    [InlineData("Workflow", "Workflow:PrefetchCount", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow", "Workflow:MaxAutoLockRenewalDuration", "-00:00:01")]
    [InlineData("Workflow", "Workflow:FailurePolicy", "Ignore")]
    [InlineData("Workflow", "Workflow:AbandonDelay", "01:00:00")]
    [InlineData("Workflow", "Workflow:PostponeDelay", "00:00:00")]
    [InlineData("Workflow", "Resilience:ConcurrencyLimit", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow", "Resilience:ConcurrencyLimit", "23", "4 of the supervisor")]
    [InlineData("Workflow", "Services:package:0", "nowhere")]
    public async Task An_option_out_of_range_ends_the_process_and_is_named(
        string service, string option, string value, string? named = null)
    {
        var settings = service is "Ingestion" or "Workflow" ? QueueUnderTest.Nowhere : [];
        if (option.StartsWith("Authentication:", StringComparison.Ordinal))
            settings["Authentication:Enabled"] = "true";
        if (option.StartsWith("OTEL_", StringComparison.Ordinal))
            settings["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:4317";

        var line = await ServiceProcess.RefusalAsync(service, settings.And(option, value));

        Assert.Contains(named ?? option, line, StringComparison.Ordinal);
    }

    /// <summary>There is no shared key to derive it from.</summary>
    [Theory]
    [InlineData("ServiceBus:FullyQualifiedNamespace", "drones.servicebus.windows.net")]
    [InlineData("ServiceBus:ConnectionString", "Endpoint=sb://drones.servicebus.windows.net;SharedAccessSignature=SharedAccessSignature x")]
    public async Task Without_a_shared_key_the_key_of_acceptances_is_required(string setting, string value)
    {
        var line = await ServiceProcess.RefusalAsync("Ingestion", new() { [setting] = value });

        Assert.Contains("Ingestion:AcceptanceKey", line, StringComparison.Ordinal);
        Assert.Contains("openssl rand -base64 32", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_certificate_it_serves_https()
    {
        using var folder = new TemporaryFolder();
        using var certificate = Certificates.SelfSigned();
        using var tls = new ReservedPort();
        await using var service = ServiceProcess.Start("Package", folder.SqliteSettings.And(new()
        {
            ["Kestrel:Endpoints:Tls:Url"] = $"https://127.0.0.1:{tls.Number}",
            ["Kestrel:Certificates:Default:Path"] = folder.Write("tls.pem", certificate.ExportCertificatePem()),
            ["Kestrel:Certificates:Default:KeyPath"] = folder.Write("tls.key", certificate.GetRSAPrivateKey()!.ExportPkcs8PrivateKeyPem()),
        }));
        using var http = new HttpClient(new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = (_, shown, _, _) => shown?.Thumbprint == certificate.Thumbprint,
        });

        await Eventually.TrueAsync(() => service.Output.Contains("Application started", StringComparison.Ordinal));

        Assert.Equal("""{"status":"Healthy","checks":{}}""", await http.GetStringAsync(
            new Uri($"https://127.0.0.1:{tls.Number}/health/live"), Cancelled));
    }

    [Fact]
    public async Task Its_log_is_json_by_setting()
    {
        using var folder = new TemporaryFolder();
        await using var service = ServiceProcess.Start("Package", folder.SqliteSettings.And("Logging:Console:FormatterName", "json"));
        await service.ReadyAsync();
        await service.StopAsync();

        var messages = service.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonDocument.Parse(line).RootElement.GetProperty("Message").GetString()!);
        Assert.Contains(messages, message => message.StartsWith("Application started", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_port_in_use_ends_the_process_and_says_what_to_change()
    {
        using var folder = new TemporaryFolder();
        await using var first = ServiceProcess.Start("Package", folder.SqliteSettings);
        await first.ReadyAsync();

        await using var second = ServiceProcess.Start("Package", folder.SqliteSettings, first.Address.Port);

        Assert.Equal(1, await second.ExitCodeAsync());
        Assert.Contains("address already in use", second.Errors, StringComparison.Ordinal);
        Assert.Contains("ASPNETCORE_URLS", second.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_mistakes_are_all_named()
    {
        var line = await ServiceProcess.RefusalAsync(
            "Delivery", new() { ["Redis:OperationTimeout"] = "00:00:00", ["Authentication:OwnerClaim"] = "" });

        Assert.Contains("Redis:OperationTimeout", line, StringComparison.Ordinal);
        Assert.Contains("Authentication:OwnerClaim", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_endpoint_beside_a_connection_string_is_named() => Assert.Contains(
        "Tracking:ConnectionString is set too",
        await ServiceProcess.RefusalAsync("Tracking", new()
        {
            ["Tracking:Endpoint"] = "https://hits.table.core.windows.net",
            ["Tracking:ConnectionString"] = "UseDevelopmentStorage=true",
        }),
        StringComparison.Ordinal);
}
