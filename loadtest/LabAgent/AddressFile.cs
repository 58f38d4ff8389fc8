using Microsoft.Extensions.Configuration;

namespace DroneDelivery.LabAgent;

/// <summary>
/// Reads the addresses of a service's replicas from a file, one per line, as the configuration <c>services:NAME:http:0</c>, <c>:1</c>, …
/// Like a cluster's DNS, the file can change while the callers run. Its writer replaces it atomically.
/// </summary>
internal sealed class AddressFile(string section, string path)
    : ConfigurationProvider,
        IConfigurationSource,
        IDisposable
{
    private static readonly TimeSpan LookEvery = TimeSpan.FromSeconds(1);
    private DateTime _written;
    private Timer? _timer;

    public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

    public override void Load()
    {
        Read();
        // Polls, because a watcher would report every write to the stores below this folder.
        _timer ??= new(_ => Look(), state: null, LookEvery, LookEvery);
    }

    public void Dispose() => _timer?.Dispose();

    private void Look()
    {
        try
        {
            if (!File.Exists(path) || File.GetLastWriteTimeUtc(path) == _written)
                return;
            Read();
        }
        catch (IOException)
        {
            return; // being replaced: keep the addresses and read again in a second
        }
        OnReload();
    }

    private void Read()
    {
        _written = File.GetLastWriteTimeUtc(path);
        Data = File.ReadAllLines(path)
            .Index()
            .ToDictionary(
                line => $"{section}:{line.Index}",
                line => (string?)line.Item,
                StringComparer.OrdinalIgnoreCase
            );
    }
}

public static class AddressFiles
{
    /// <summary>Adds the files that <c>services:NAME:file</c> lists.</summary>
    public static void AddAddressFiles(this IConfigurationBuilder builder, IConfiguration known)
    {
        foreach (var service in known.GetSection("services").GetChildren())
        {
            if (service["file"] is { } path)
                builder.Add(new AddressFile($"{service.Path}:http", path));
        }
    }
}
