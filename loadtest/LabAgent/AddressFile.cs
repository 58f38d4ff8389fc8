using Microsoft.Extensions.Configuration;

namespace DroneDelivery.LabAgent;

/// <summary>
/// The addresses of a service's replicas in a file, one to a line, as the configuration <c>services:NAME:http:0</c>, <c>:1</c>, … The file
/// may change while its callers run: on one machine what DNS is in a cluster. Its writer moves a complete file into its place.
/// </summary>
/// <param name="section">The endpoints of the service that is called.</param>
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
        // A watcher would hear of every write of every store below this folder.
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
            return; // it is being replaced, and looked at again in a second; the addresses stay meanwhile
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
    /// <summary><c>services:NAME:file</c>: the path of such a file.</summary>
    public static void AddAddressFiles(this IConfigurationBuilder builder, IConfiguration known)
    {
        foreach (var service in known.GetSection("services").GetChildren())
        {
            if (service["file"] is { } path)
                builder.Add(new AddressFile($"{service.Path}:http", path));
        }
    }
}
