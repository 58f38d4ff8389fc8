using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>Failing starts run in the test's process, except for one per service.</summary>
public sealed class StartTests
{
    private const string Route = "ReverseProxy:Routes:things";

    [Theory]
    [InlineData("Package", "Retention:BatchSize", "0")]
    [InlineData("DroneScheduler", "Retention:BatchSize", "0")]
    [InlineData("Delivery", "Confirmation:Key", "dG9vIHNob3J0")]
    [InlineData("Ingestion", "RateLimit:Permits", "0")]
    [InlineData("Workflow", "Workflow:MaxConcurrentCalls", "0")]
    [InlineData("Gateway", "Gateway:Keys:test", "short")]
    public async Task Process_exits_with_1_and_one_line_when_an_option_is_invalid(
        string service,
        string option,
        string value
    )
    {
        var line = await ServiceProcess.RejectionAsync(service, QueueUnderTest.Nowhere.And(option, value));

        Assert.Contains(option.Split(':')[^1], line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Package", "Database:ConnectionString=somewhere", "Database:WriteTimeout=01:00:00")]
    [InlineData(
        "DroneScheduler",
        "Retention:Period=14.00:00:00",
        "Retention:Interval=00:00:00",
        "Retention:BatchSize=0"
    )]
    [InlineData("Package", "Authentication:ServiceRole=", "Authentication:DeviceRole=", "RateLimit:Proxies=11")]
    [InlineData("Delivery", "Confirmation:Key=dG9vIHNob3J0")]
    [InlineData("Delivery", "Redis:ConnectionString=", "Redis:OperationTimeout=00:00:00", "Redis:KeyTimeToLive=-1")]
    [InlineData(
        "Ingestion",
        "ServiceBus:SendTimeout=00:00:00",
        "Ingestion:AcceptanceLifetime=00:00:00",
        "Ingestion:MaxConcurrentRequests=-1",
        "Ingestion:MaxWaitingRequests=-1",
        "Ingestion:RequestTimeout=-00:00:01",
        "RateLimit:Permits=0",
        "RateLimit:Window=00:00:00",
        "RateLimit:Proxies=11",
        "Authentication:OwnerClaim="
    )]
    [InlineData("Ingestion", "Ingestion:RequestTimeout=01:00:00")]
    [InlineData(
        "Workflow",
        "Workflow:MaxConcurrentCalls=0",
        "Workflow:PrefetchCount=-1",
        "Workflow:MaxAutoLockRenewalDuration=-00:00:01",
        "Workflow:RetryDelay=00:00:00",
        "Workflow:RetryFor=15.00:00:00"
    )]
    [InlineData(
        "Workflow",
        "Resilience:RetryJitter=1.5",
        "Resilience:AttemptTimeout=00:00:00",
        "Resilience:TotalTimeout=2.00:00:00",
        "Resilience:ConcurrencyLimit=0",
        "Resilience:ConcurrencyQueue=-1",
        "Resilience:BreakerFailureRatio=2",
        "Resilience:BreakerMinimumThroughput=1",
        "Resilience:BreakerSamplingDuration=00:00:00.1",
        "Resilience:BreakerBreakDuration=00:00:00.1"
    )]
    public async Task Out_of_range_options_end_the_process_and_are_all_named(string service, params string[] mistakes)
    {
        var settings = mistakes
            .Select(mistake => mistake.Split('='))
            .ToDictionary(parts => parts[0], string? (parts) => parts[1]);

        var line = await ServiceProgram.RejectionAsync(service, QueueUnderTest.Nowhere.And(settings));

        Assert.All(settings.Keys, option => Assert.Contains(option.Split(':')[^1], line, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Package", "Database:ConectionString", "Data Source=x.db", "ConectionString")]
    [InlineData("Package", "Kestrel:Certificates:Default:Path", "/nowhere.pfx", "/nowhere.pfx")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "nonsense", "'nonsense'")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "ftp://127.0.0.1:0", "ftp://127.0.0.1:0")]
    [InlineData("Ingestion", "ServiceBus:ConnectionString", "Endpoint=sb//localhost", "Expected Endpoint=sb://")]
    [InlineData("Ingestion", "ServiceBus:ConnectionString", "", "ServiceBus:FullyQualifiedNamespace")]
    [InlineData("Ingestion", "ServiceBus:QueueName", "", "delivery-requests")]
    [InlineData("Ingestion", "ServiceBus:FullyQualifiedNamespace", "x.servicebus.windows.net", "Remove one of them")]
    [InlineData("Ingestion", "Ingestion:AcceptanceLifetime", "14.00:00:01", "14.00:00:00")]
    // Otherwise, a status could become pending again.
    [InlineData("Delivery", "Redis:KeyTimeToLive", "14.23:59:59", "15 days")]
    [InlineData("Ingestion", "Ingestion:AcceptanceKey", "secret", "openssl rand -base64 32")]
    [InlineData("Ingestion", "Ingestion:AcceptanceKey", "c2hvcnQ=", "at least 32 bytes")]
    [InlineData("Ingestion", "Authentication:Enabled", "true", "'Authority'")]
    [InlineData("Ingestion", "Authentication:Authority", "http://login.example", "https://")]
    [InlineData("Ingestion", "Authentication:Authority", "https://login.example", "'Audience'")]
    [InlineData("Workflow", "Workflow:PrefetchCount", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow", "Workflow:RetryFor", "forever", "Workflow:RetryFor")]
    [InlineData("Workflow", "Resilience:RetryDelays:0", "later", "Resilience:RetryDelays")]
    [InlineData("Workflow", "Resilience:RetryDelays:0", "-00:00:01", "Each delay must be between")]
    [InlineData("Workflow", "Resilience:ConcurrencyLimit", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow", "Resilience:ConcurrencyLimit", "23", "4 of the supervisor")]
    public async Task Misconfiguration_ends_the_process_with_an_instruction(
        string service,
        string option,
        string value,
        string told
    )
    {
        var settings = service is "Ingestion" or "Workflow" ? QueueUnderTest.Nowhere : [];
        if (option.StartsWith("Authentication:", StringComparison.Ordinal))
            settings["Authentication:Enabled"] = "true";

        var line = await ServiceProgram.RejectionAsync(service, settings.And(option, value));

        Assert.Contains(told, line, StringComparison.Ordinal);
    }

    /// <summary>Without a shared access key, the acceptance key can't be derived.</summary>
    [Theory]
    [InlineData("ServiceBus:FullyQualifiedNamespace", "drones.servicebus.windows.net")]
    [InlineData(
        "ServiceBus:ConnectionString",
        "Endpoint=sb://drones.servicebus.windows.net;SharedAccessSignature=SharedAccessSignature x"
    )]
    public async Task Acceptance_key_is_required_without_a_shared_access_key(string setting, string value)
    {
        var line = await ServiceProgram.RejectionAsync("Ingestion", new() { [setting] = value });

        Assert.Contains("Ingestion:AcceptanceKey", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Service_serves_https_with_a_certificate_and_logs_JSON_if_set()
    {
        using var folder = new TemporaryFolder();
        using var certificate = Certificates.SelfSigned();
        using var tls = new ReservedPort();
        await using var service = ServiceProcess.Start(
            "Package",
            folder.SqliteSettings.And(
                new()
                {
                    ["Kestrel:Endpoints:Tls:Url"] = $"https://127.0.0.1:{tls.Number}",
                    ["Kestrel:Certificates:Default:Path"] = folder.Write("tls.pem", certificate.ExportCertificatePem()),
                    ["Logging:Console:FormatterName"] = "json",
                    ["Kestrel:Certificates:Default:KeyPath"] = folder.Write(
                        "tls.key",
                        certificate.GetRSAPrivateKey()!.ExportPkcs8PrivateKeyPem()
                    ),
                }
            )
        );
        using var http = new HttpClient(
            new HttpClientHandler
            {
                ServerCertificateCustomValidationCallback = (_, shown, _, _) =>
                    shown?.Thumbprint == certificate.Thumbprint,
            }
        );

        await Eventually.TrueAsync(() => service.Output.Contains("Application started", StringComparison.Ordinal));

        Assert.Equal(
            """{"status":"Healthy","checks":{}}""",
            await http.GetStringAsync(new Uri($"https://127.0.0.1:{tls.Number}/health/live"), Cancelled)
        );
        await service.StopAsync();
        var messages = service
            .Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonDocument.Parse(line).RootElement.GetProperty("Message").GetString()!);
        Assert.Contains(messages, message => message.StartsWith("Application started", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Process_exits_with_the_cause_when_it_cannot_bind()
    {
        using var folder = new TemporaryFolder();
        await using var first = ServiceProcess.Start("Package", folder.SqliteSettings);
        await first.ReadyAsync();

        await using var second = ServiceProcess.Start("Package", folder.SqliteSettings, first.Address.Port);
        await using var third = ServiceProcess.Start(
            "Package",
            folder.SqliteSettings.And("Kestrel:Endpoints:A:Url", "http://192.0.2.1:5000")
        );

        Assert.Equal((1, 1), (await second.ExitCodeAsync(), await third.ExitCodeAsync()));
        Assert.Contains("Cannot assign requested address", third.Errors, StringComparison.Ordinal);
        Assert.Contains("address already in use", second.Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Gateway:Keys:test", "short", "Keys:test")]
    [InlineData("Gateway:Kays:test", "x", "Kays")]
    [InlineData("Gateway:PolicyFile", "nowhere.json", "Gateway:PolicyFile")]
    [InlineData("Gateway:RateLimits:few:Permits", "0", "RateLimits:few")]
    [InlineData("Gateway:RateLimits:few:Window", "00:00:00", "RateLimits:few")]
    [InlineData(Route + ":RateLimiterPolicy", "many", "many")]
    [InlineData(Route + ":Match:Path", "/api/{id", "/api/{id")]
    [InlineData(Route + ":Transforms:0:PathPrefx", "/x", "PathPrefx")]
    public async Task Invalid_gateway_setting_is_named_without_its_key(string setting, string value, string named)
    {
        var settings = new Dictionary<string, string?>
        {
            ["Gateway:Keys:test"] = GatewayUnderTest.Key,
            ["Gateway:RateLimits:few:Permits"] = "1",
            ["Gateway:RateLimits:few:Window"] = "00:00:01",
            [$"{Route}:Match:Path"] = "/api/things",
            [$"{Route}:ClusterId"] = "ingestion",
        }.And(setting, value);

        var line = await ServiceProgram.RejectionAsync("Gateway", settings);

        Assert.Contains(named, line, StringComparison.Ordinal);
        Assert.DoesNotContain(settings["Gateway:Keys:test"]!, line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Gateway_has_no_default_key() =>
        Assert.Contains(
            "Gateway:Keys:NAME",
            await ServiceProgram.RejectionAsync("Gateway", []),
            StringComparison.Ordinal
        );
}
