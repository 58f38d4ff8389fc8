using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using DroneDelivery.LocalServiceBus.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Hosting;

/// <summary>
/// AMQP and HTTP over TLS on one port. The clients trust only the broker's certificate, and check the host name.
/// </summary>
public sealed class TlsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tls-").FullName;
    private readonly RecordedLog _log = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("AMQP\0\u0001\0\0")]
    [InlineData("GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    public async Task Plain_text_connection_is_closed_with_one_log_line(string bytes)
    {
        await using var broker = await StartAsync();
        using var client = new TcpClient();
        await client.ConnectAsync(broker.Broker.Address.Host, broker.Broker.Address.Port, Cancel);

        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(bytes), Cancel);

        Assert.Equal(0, await client.GetStream().ReadAsync(new byte[1], Cancel));
        await Eventually.TrueAsync(() => _log.Of<FirstBytes>().Any());
        Assert.Equal(LogLevel.Warning, Assert.Single(_log.Of<FirstBytes>()));
    }

    [Fact]
    public async Task Broken_TLS_record_ends_only_its_connection()
    {
        await using var broker = await StartAsync();
        using var client = new TcpClient();
        await client.ConnectAsync(broker.Broker.Address.Host, broker.Broker.Address.Port, Cancel);
        var stream = client.GetStream();
        using var secure = new SslStream(stream, leaveInnerStreamOpen: true);
        var trusting = new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            CertificateChainPolicy = Trusting(broker.Broker.CertificateFile!),
        };
        await secure.AuthenticateAsClientAsync(trusting, Cancel);

        await stream.WriteAsync(new byte[] { 0x17, 0x03, 0x03, 0x00, 0x05, 1, 2, 3, 4, 5 }, Cancel);
        client.Client.Shutdown(SocketShutdown.Send);
        await stream.CopyToAsync(Stream.Null, Cancel);

        await broker.DisposeAsync();
        Assert.DoesNotContain(_log.All, entry => entry.Level >= LogLevel.Error);
    }

    [Fact]
    public async Task Generated_certificate_is_kept_only_with_a_data_folder()
    {
        string first,
            file;
        await using (var broker = await StartAsync(_folder))
        {
            Assert.DoesNotContain("UseDevelopmentEmulator", broker.ConnectionString, StringComparison.Ordinal);
            file = broker.Broker.CertificateFile!;
            Assert.StartsWith(_folder, file, StringComparison.Ordinal);
            first = await File.ReadAllTextAsync(file, Cancel);
            Assert.DoesNotContain("PRIVATE", first, StringComparison.Ordinal);
            var keyFile = Path.Combine(_folder, "tls", "key.pem");
            if (!OperatingSystem.IsWindows())
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(keyFile));
        }
        await using (await StartAsync(_folder))
            Assert.Equal(first, await File.ReadAllTextAsync(file, Cancel));

        var brief = await StartAsync();
        file = brief.Broker.CertificateFile!;
        Assert.True(File.Exists(file));
        await brief.DisposeAsync();
        Assert.False(File.Exists(file));
    }

    [Theory]
    [InlineData(29, false)]
    [InlineData(100, true)] // Although it names only localhost, and the machine has another name.
    public async Task Certificate_is_replaced_only_when_it_expires_soon(int days, bool isKept)
    {
        var file = MakeKept(days);
        var former = await File.ReadAllTextAsync(file, Cancel);

        await using var broker = await StartAsync(_folder);

        Assert.Equal(isKept, former == await File.ReadAllTextAsync(file, Cancel));
        await AnswersAsync(new UriBuilder(broker.Broker.Address) { Host = "localhost" }.Uri, file);
    }

    [Theory]
    [InlineData("certificate.pem")]
    [InlineData("key.pem")]
    public async Task Truncated_certificate_file_is_created_again(string name)
    {
        var file = MakeKept();
        var broken = Path.Combine(_folder, "tls", name);
        await File.WriteAllTextAsync(broken, (await File.ReadAllTextAsync(broken, Cancel))[..60], Cancel);

        await using var broker = await StartAsync(_folder);

        await AnswersAsync(broker.Broker.Address, file);
    }

    [Fact]
    public async Task Own_certificate_is_used_and_an_unusable_one_is_rejected()
    {
        var (file, key) = MakeOwn();
        var options = new LocalServiceBusOptions
        {
            Port = 0,
            CertificateFile = file,
            CertificateKeyFile = key,
        };
        await using (var broker = await BrokerFixture.StartAsync(options, Cancel))
        {
            Assert.Equal(file, broker.Broker.CertificateFile);
            await AnswersAsync(new UriBuilder(broker.Broker.Address) { Host = "localhost" }.Uri, file);
        }
        foreach (var wrong in new[] { Path.Combine(_folder, "nothing.pem"), key, file }) // The last one lacks its key.
        {
            var error = await Assert.ThrowsAsync<BrokerStartException>(() =>
                BrokerFixture.StartAsync(new LocalServiceBusOptions { Port = 0, CertificateFile = wrong }, Cancel)
            );
            Assert.Contains("--certificate", error.Message, StringComparison.Ordinal);
        }
    }

    private string MakeKept(int days = 100)
    {
        Directory.CreateDirectory(Path.Combine(_folder, "tls"));
        return MakeOwn(Path.Combine("tls", "certificate.pem"), Path.Combine("tls", "key.pem"), days).File;
    }

    private Task<BrokerFixture> StartAsync(string? dataFolder = null) =>
        BrokerFixture.StartAsync(
            new LocalServiceBusOptions
            {
                Port = 0,
                Tls = true,
                DataFolder = dataFolder,
                LoggerFactory = _log,
            },
            Cancel
        );

    /// <summary>Asserts that a client that trusts only this certificate gets a response.</summary>
    private static async Task AnswersAsync(Uri address, string certificateFile)
    {
        using var handler = new SocketsHttpHandler
        {
            SslOptions = { CertificateChainPolicy = Trusting(certificateFile) },
        };
        using var http = new HttpClient(handler);
        Assert.Equal("Healthy", await http.GetStringAsync(new Uri(address, "/health/ready"), Cancel));
    }

    private static X509ChainPolicy Trusting(string certificateFile) =>
        new()
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(certificateFile) },
            RevocationMode = X509RevocationMode.NoCheck,
        };

    private (string File, string KeyFile) MakeOwn(string name = "own.pem", string keyName = "own.key", int days = 2)
    {
        var (file, keyFile) = (Path.Combine(_folder, name), Path.Combine(_folder, keyName));
        var until = TimeProvider.System.GetUtcNow().AddDays(days);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=own", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        using var certificate = request.CreateSelfSigned(until.AddDays(-400), until);
        File.WriteAllText(file, certificate.ExportCertificatePem());
        File.WriteAllText(keyFile, key.ExportPkcs8PrivateKeyPem());
        return (file, keyFile);
    }
}
