using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>A mistake in the configuration ends the process with one line that names the option.</summary>
public sealed class StartTests
{
    [Theory]
    [InlineData("Package", "Database:ConnectionString", "somewhere", "Database:ConnectionString")]
    [InlineData("Package", "Database:WriteTimeout", "01:00:00", "Database:WriteTimeout")]
    [InlineData("Package", "Database:WriteTimeout", "soon", "Database:WriteTimeout")]
    [InlineData("Package", "Database:ConectionString", "Data Source=x.db", "ConectionString")]
    [InlineData("Package", "Kestrel:Certificates:Default:Path", "/nowhere.pfx", "Kestrel:Certificates")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "nonsense", "'nonsense'")]
    [InlineData("Package", "Kestrel:Endpoints:A:Url", "ftp://127.0.0.1:0", "Kestrel:Endpoints")]
    [InlineData("Package", "Logging:Console:FormatterName", "jsn", "Logging:Console:FormatterName")]
    [InlineData("DroneScheduler", "Retention:Period", "14.00:00:00", "Retention:Period")]
    [InlineData("DroneScheduler", "Retention:Interval", "00:00:00", "Retention:Interval")]
    [InlineData("DroneScheduler", "Retention:BatchSize", "0", "Retention:BatchSize")]
    [InlineData("Delivery", "Redis:ConnectionString", "", "Redis:ConnectionString")]
    [InlineData("Delivery", "Redis:OperationTimeout", "00:00:00", "Redis:OperationTimeout")]
    [InlineData("Delivery", "Redis:KeyTimeToLive", "-1", "Redis:KeyTimeToLive")]
    [InlineData("Tracking", "Tracking:ConnectionString", "", "Tracking:ConnectionString")]
    [InlineData("Tracking", "Tracking:ConnectionString", "somewhere", "Tracking:ConnectionString")]
    [InlineData("Tracking", "Tracking:Writer", "Fast", "Tracking:Writer")]
    [InlineData("Tracking", "Tracking:BatchSize", "101", "Tracking:BatchSize")]
    [InlineData("Tracking", "Tracking:Tables:0", "1st", "Tracking:Tables")]
    [InlineData("Tracking", "Tracking:Writer", "Queue", "ServiceBus:ConnectionString")]
    public async Task An_option_out_of_range_ends_the_process_and_is_named(string service, string option, string value, string named)
    {
        await using var process = ServiceProcess.Start(service, new() { [option] = value });

        Assert.Equal(1, await process.ExitCodeAsync());
        var line = Assert.Single(process.Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith($"DroneDelivery.{service} cannot start.", line, StringComparison.Ordinal);
        Assert.Contains(named, line, StringComparison.Ordinal);
        Assert.Empty(process.Output);
    }

    [Fact]
    public async Task With_a_certificate_it_serves_https()
    {
        using var folder = new TemporaryFolder();
        using var certificate = SelfSigned();
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
            new Uri($"https://127.0.0.1:{tls.Number}/health/live"), TestContext.Current.CancellationToken));
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
    public async Task Several_failures_are_all_printed_mistakes_of_the_caller_or_not()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddSingleton<IStartupValidator>(new TwoFailures());
        var before = Console.Error;
        await using var errors = new StringWriter(CultureInfo.InvariantCulture);
        Console.SetError(errors);
        try
        {
            Assert.Equal(1, await builder.Build().RunServiceAsync(TestContext.Current.CancellationToken));
        }
        finally
        {
            Console.SetError(before);
        }

        Assert.Contains("Redis:OperationTimeout: too short.", errors.ToString(), StringComparison.Ordinal);
        Assert.Contains("The disk is gone.", errors.ToString(), StringComparison.Ordinal);
    }

    private static X509Certificate2 SelfSigned()
    {
        using var key = RSA.Create(2048);
        var now = TimeProvider.System.GetUtcNow();
        return new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1)
            .CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }

    private sealed class TwoFailures : IStartupValidator
    {
        public void Validate() => throw new AggregateException(
            new OptionsValidationException("Redis", typeof(object), ["Redis:OperationTimeout: too short."]),
            new InvalidOperationException("The disk is gone."));
    }
}
