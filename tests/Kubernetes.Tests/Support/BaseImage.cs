using System.Formats.Tar;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// A stand-in for the chiseled base image, created from the .NET runtime and libraries of this machine: no shell, no
/// package manager, no ICU. It makes tests that build images independent of registries.
/// </summary>
internal sealed class BaseImage
{
    private const string SystemFolder = "/lib/x86_64-linux-gnu/",
        LibraryFolder = "usr/lib/x86_64-linux-gnu/";

    /// <summary>Libraries that the runtime needs or loads by name.</summary>
    private static readonly string[] Libraries =
    [
        "libc.so.6",
        "libm.so.6",
        "libdl.so.2",
        "libpthread.so.0",
        "librt.so.1",
        "libresolv.so.2",
        "libgcc_s.so.1",
        "libstdc++.so.6",
        "libssl.so.3",
        "libcrypto.so.3",
        "ld-linux-x86-64.so.2",
    ];

    private readonly Dictionary<string, (string MediaType, byte[] Content)> _blobs = [];

    private BaseImage(byte[] layer, string layerDigest)
    {
        var compressed = Compress(layer);
        var config = Json(
            new
            {
                architecture = "amd64",
                os = "linux",
                config = new
                {
                    Env = new[]
                    {
                        "PATH=/usr/bin",
                        "DOTNET_RUNNING_IN_CONTAINER=true",
                        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=true",
                    },
                    User = "1654",
                },
                rootfs = new { type = "layers", diff_ids = new[] { layerDigest } },
            }
        );
        Manifest = Json(
            new
            {
                schemaVersion = 2,
                mediaType = ManifestType,
                config = Add("application/vnd.oci.image.config.v1+json", config),
                layers = new[] { Add("application/vnd.oci.image.layer.v1.tar+gzip", compressed) },
            }
        );
        Add(ManifestType, Manifest);
    }

    public static bool CanBeMade => Libraries.All(library => File.Exists(SystemFolder + library));

    public static string ManifestType => "application/vnd.oci.image.manifest.v1+json";

    public byte[] Manifest { get; }

    /// <summary>Contents by digest.</summary>
    public IReadOnlyDictionary<string, (string MediaType, byte[] Content)> Blobs => _blobs;

    public static BaseImage OfThisMachine()
    {
        using var layer = new MemoryStream();
        using (var tar = new TarWriter(layer, leaveOpen: true))
            Write(tar);
        var content = layer.ToArray();
        return new(content, DigestOf(content));
    }

    public static string DigestOf(byte[] content) => $"sha256:{Convert.ToHexStringLower(SHA256.HashData(content))}";

    private static void Write(TarWriter tar)
    {
        const UnixFileMode AllMayWrite = (UnixFileMode)0b1_111_111_111;
        tar.WriteEntry(new PaxTarEntry(TarEntryType.Directory, "tmp/") { Mode = AllMayWrite | UnixFileMode.StickyBit });
        tar.WriteEntry(new PaxTarEntry(TarEntryType.SymbolicLink, "lib") { LinkName = "usr/lib" });
        tar.WriteEntry(new PaxTarEntry(TarEntryType.SymbolicLink, "lib64") { LinkName = LibraryFolder.TrimEnd('/') });
        tar.WriteEntry(
            new PaxTarEntry(TarEntryType.SymbolicLink, "usr/bin/dotnet") { LinkName = "/usr/share/dotnet/dotnet" }
        );
        foreach (var library in Libraries)
            WriteFile(tar, SystemFolder + library, LibraryFolder + library);
        var dotnet = Path.GetDirectoryName(Lab.Repository.Dotnet)!;
        var runtime = $"{Environment.Version}";
        string[] folders =
        [
            "host",
            $"shared/Microsoft.NETCore.App/{runtime}",
            $"shared/Microsoft.AspNetCore.App/{runtime}",
        ];
        WriteFile(tar, Lab.Repository.Dotnet, "usr/share/dotnet/dotnet");
        foreach (var folder in folders)
        {
            var files = Directory.EnumerateFiles(Path.Combine(dotnet, folder), "*", SearchOption.AllDirectories);
            foreach (var file in files)
                WriteFile(tar, file, $"usr/share/dotnet/{Path.GetRelativePath(dotnet, file)}");
        }
    }

    internal static void WriteFile(TarWriter tar, string path, string name)
    {
        const UnixFileMode ReadAndExecute =
            UnixFileMode.UserRead
            | UnixFileMode.UserExecute
            | UnixFileMode.GroupRead
            | UnixFileMode.GroupExecute
            | UnixFileMode.OtherRead
            | UnixFileMode.OtherExecute;
        using var content = File.OpenRead(path); // Follows links.
        tar.WriteEntry(new PaxTarEntry(TarEntryType.RegularFile, name) { Mode = ReadAndExecute, DataStream = content });
    }

    private static byte[] Compress(byte[] layer)
    {
        using var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest))
            gzip.Write(layer);
        return compressed.ToArray();
    }

    private static byte[] Json(object value) => JsonSerializer.SerializeToUtf8Bytes(value);

    private object Add(string mediaType, byte[] content)
    {
        var digest = DigestOf(content);
        _blobs[digest] = (mediaType, content);
        return new
        {
            mediaType,
            digest,
            size = content.Length,
        };
    }
}
