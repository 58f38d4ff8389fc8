using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>What the broker shows to clients that connect with TLS: a certificate of the owner's, or one that it has made for
/// itself.</summary>
/// <param name="Own">With its private key.</param>
/// <param name="Issuers">Certificates between it and the root that clients trust.</param>
/// <param name="PublicFile">Where its public part is, for clients to trust it.</param>
internal sealed record Certificate(X509Certificate2 Own, X509Certificate2Collection Issuers, string PublicFile)
    : IDisposable
{
    // Beside the data; or, without a data folder, in a folder that ends with the broker.
    private const string Folder = "tls",
        PublicName = "certificate.pem",
        PrivateName = "key.pem";

    private const string ServerAuthentication = "1.3.6.1.5.5.7.3.1";

    // A certificate may be valid for 825 days at most, or clients on macOS refuse it. Clocks differ, so it begins a day early.
    private static readonly TimeSpan Validity = TimeSpan.FromDays(800),
        Early = TimeSpan.FromDays(1),
        Renewal = TimeSpan.FromDays(30);

    private string? _temporaryFolder;

    /// <summary>Null: the broker has no TLS.</summary>
    /// <exception cref="BrokerStartException">A file cannot be read or written, or is no certificate with its key.</exception>
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
            var where = options.CertificateFile is { } file ? $"(--certificate {file}): " : "of the broker's own: ";
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

    /// <param name="file">PEM; issuers may follow.</param>
    /// <param name="keyFile">PEM; null: the key is in the file too.</param>
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
            return KeptIn(dataFolder);
        var temporary = Directory.CreateTempSubdirectory("service-bus-").FullName;
        return KeptIn(temporary) with { _temporaryFolder = temporary };
    }

    private static Certificate KeptIn(string parent)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Path.GetFullPath(parent), Folder)).FullName;
        var (publicFile, privateFile) = (Path.Combine(folder, PublicName), Path.Combine(folder, PrivateName));
        if (TryRead(publicFile, privateFile) is { } kept)
            return kept;
        Make(publicFile, privateFile);
        return Read(publicFile, privateFile);
    }

    /// <summary>Clients trust this one certificate, so it is kept as long as they can use it, even if the machine has another name by
    /// now: that of a container changes with each container.</summary>
    /// <returns>Null: there is none, it ends soon, or only a part of it was written.</returns>
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

    /// <summary>Nobody but the owner can read the file, from its first byte on.</summary>
    private static void WriteSecret(string file, string text)
    {
        File.Delete(file);
        var create = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            create.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var writer = new StreamWriter(file, create);
        writer.Write(text);
    }

    // Windows and macOS serve no TLS with a key that came from a PEM file and is nowhere stored.
    private static X509Certificate2 WithStoredKey(X509Certificate2 pem) =>
        X509CertificateLoader.LoadPkcs12(pem.Export(X509ContentType.Pkcs12), password: null);

    // Not the broker's clock, which may be a test's: clients compare with theirs.
    private static DateTimeOffset Now => TimeProvider.System.GetUtcNow();
}
