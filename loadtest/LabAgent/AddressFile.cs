using DroneDelivery.ServiceDefaults.Calls;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LabAgent;

/// <summary>
/// The addresses of a service's replicas in a file, one to a line, which may change while its callers run: on one machine what DNS is in a
/// cluster. Whoever writes it moves a complete file into its place.
/// </summary>
/// <param name="path">The file.</param>
/// <param name="time">Looks once a second, and only when somebody asks.</param>
/// <param name="logger">Told of a file that cannot be used; the last addresses stay.</param>
internal sealed partial class AddressFile(string path, TimeProvider time, ILogger logger) : IReplicaList
{
    private static readonly TimeSpan LookEvery = TimeSpan.FromSeconds(1);
    private long _lastLook = time.GetTimestamp();
    private DateTime _written; // none yet: it may have changed since the start of the process

    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    /// <inheritdoc/>
    public IReadOnlyList<Uri> Read()
    {
        var addresses = File.ReadAllLines(path).Select(Parse).Distinct().ToList();
        return addresses.Count > 0 ? addresses : throw new FormatException($"{path} has no address.");

        Uri Parse(string line, int index) => ReplicaAddress.TryParse(line, out var address) ? address
            : throw new FormatException($"{path}, line {index + 1}: '{line}' is not an address such as {ReplicaAddress.Example}.");
    }

    public IReadOnlyList<Uri>? Changed()
    {
        var last = Interlocked.Read(ref _lastLook);
        if (time.GetElapsedTime(last) < LookEvery || Interlocked.CompareExchange(ref _lastLook, time.GetTimestamp(), last) != last)
            return null;
        var written = File.GetLastWriteTimeUtc(path);
        if (written == _written)
            return null;
        _written = written;
        try
        {
            return Read();
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
        {
            Log.Unusable(logger, exception.Message);
            return null;
        }
    }

    /// <summary><c>Services:NAME:File</c>: the path of such a file.</summary>
    public sealed class Source(TimeProvider time, ILogger<AddressFile> logger) : IReplicaSource
    {
        public string Key => "File";

        public IReplicaList Open(string value) => new AddressFile(value, time, logger);
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "{Cause} The addresses stay as they were.")]
        public static partial void Unusable(ILogger logger, string cause);
    }
}
