using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>The TLS certificate of the broker: a configured or a self-signed one.</summary>
/// <param name="PublicFile">The file with the public part, for clients to trust.</param>
internal sealed record Certificate(X509Certificate2 Own, X509Certificate2Collection Issuers, string PublicFile)
    : IDisposable
{
    // In the data folder; without one, in a temporary folder that the broker deletes when it stops.
    private const string Folder = "tls",
        PublicName = "certificate.pem",
        PrivateName = "key.pem";

    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    // Clients on macOS reject certificates that are valid for more than 825 days. Starting a day early allows for clock
    // differences.
    private static readonly TimeSpan Validity = TimeSpan.FromDays(800),
        Early = TimeSpan.FromDays(1),
        Renewal = TimeSpan.FromDays(30);

    private string? _temporaryFolder;

    /// <exception cref="BrokerStartException">A file can't be read or written, or doesn't contain a certificate with
    /// its key.</exception>
    public static Certificate? Load(LocalServiceBusOptions options)
    {
        if (!options.UsesTls)
            return null;
        try
        {
            return options.CertificateFile is { } file
                ? Read(file, options.CertificateKeyFile)
                : SelfSigned(options.DataFolder);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or CryptographicException)
        {
            var where = options.CertificateFile is { } file ? $"(--certificate {file}): " : "(self-signed): ";
            throw new BrokerStartException(
                $"{LocalServiceBusOptions.Section}:{nameof(LocalServiceBusOptions.CertificateFile)} {where}{error.Message}",
                error
            );
        }
    }

    public void Dispose()
    {
        Own.Dispose();
        foreach (var issuer in Issuers)
            issuer.Dispose();
        if (Directory.Exists(_temporaryFolder))
            Directory.Delete(_temporaryFolder, recursive: true);
    }

    private static Certificate Read(string file, string? keyFile)
    {
        using var pem = X509Certificate2.CreateFromPemFile(file, keyFile ?? file);
        var issuers = new X509Certificate2Collection();
        issuers.ImportFromPemFile(file);
        issuers[0].Dispose();
        issuers.RemoveAt(0);
        return new Certificate(WithStoredKey(pem), issuers, Path.GetFullPath(file));
    }

    private static Certificate SelfSigned(string? dataFolder)
    {
        if (dataFolder is not null)
            return StoredIn(dataFolder);
        var temporary = Directory.CreateTempSubdirectory("service-bus-").FullName;
        return StoredIn(temporary) with { _temporaryFolder = temporary };
    }

    private static Certificate StoredIn(string parent)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Path.GetFullPath(parent), Folder)).FullName;
        var (publicFile, privateFile) = (Path.Combine(folder, PublicName), Path.Combine(folder, PrivateName));
        if (TryRead(publicFile, privateFile) is { } kept)
            return kept;
        Make(publicFile, privateFile);
        return Read(publicFile, privateFile);
    }

    /// <summary>Reads the stored certificate. It stays in use even if the machine's name changes, because clients trust
    /// it.</summary>
    /// <returns><c>null</c> if the certificate doesn't exist, expires soon, or is incomplete.</returns>
    private static Certificate? TryRead(string publicFile, string privateFile)
    {
        if (!File.Exists(publicFile) || !File.Exists(privateFile))
            return null;
        try
        {
            var kept = Read(publicFile, privateFile);
            if (
                kept.Own.NotAfter.ToUniversalTime() > Now.UtcDateTime + Renewal
                && kept.Own.MatchesHostname("localhost")
            )
            {
                return kept;
            }

            kept.Dispose();
            return null;
        }
        catch (CryptographicException)
        {
            return null;
        }
    }

    private static void Make(string publicFile, string privateFile)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=Local Service Bus", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        if (Uri.CheckHostName(Environment.MachineName) == UriHostNameType.Dns)
            names.AddDnsName(Environment.MachineName);
        names.AddIpAddress(System.Net.IPAddress.Loopback);
        names.AddIpAddress(System.Net.IPAddress.IPv6Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, critical: true));
        request.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true)
        );
        request.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid(ServerAuthentication)], critical: false)
        );
        using var made = request.CreateSelfSigned(Now - Early, Now + Validity);
        WriteSecret(privateFile, key.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(publicFile, made.ExportCertificatePem());
    }

    private static void WriteSecret(string file, string text)
    {
        File.Delete(file);
        var create = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            create.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var writer = new StreamWriter(file, create);
        writer.Write(text);
    }

    // Windows and macOS can't use a key from a PEM file for TLS unless it's stored.
    private static X509Certificate2 WithStoredKey(X509Certificate2 pem) =>
        X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pkcs12), password: null);

    // Clients compare with the system clock, so the broker's own clock doesn't apply.
    private static DateTimeOffset Now => TimeProvider.System.GetUtcNow();
}
