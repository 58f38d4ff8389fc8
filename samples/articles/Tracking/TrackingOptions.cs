using System.ComponentModel.DataAnnotations;
using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking;

/// <summary>The kinds of hit writers.</summary>
internal enum WriterKind
{
    /// <summary>Inserts each hit before the response.</summary>
    Insert,

    /// <summary>Buffers hits after the response, and stores them in batches.</summary>
    Batch,

    /// <summary>Stores nothing, to measure the cost of the pixel.</summary>
    None,
}

/// <summary>Section <c>Tracking</c>.</summary>
internal sealed class TrackingOptions : IValidatableObject
{
    public const string Section = "Tracking";

    public WriterKind Writer { get; set; } = WriterKind.Insert;

    /// <summary>Connection string of a storage account or of Azurite.</summary>
    public string ConnectionString { get; set; } = "";

    /// <summary>
    /// Table endpoint of a storage account, accessed with the managed identity, instead of <see cref="ConnectionString"/>.
    /// </summary>
    public Uri? Endpoint { get; set; }

    /// <summary>
    /// Allowed tables; empty for any, up to <see cref="MaxTables"/>. Set it if the service is public; otherwise, clients can exhaust <see
    /// cref="MaxTables"/>.
    /// </summary>
    public string[] Tables { get; set; } = [];

    /// <summary>Maximum number of tables that a process creates if <see cref="Tables"/> is empty.</summary>
    [Range(1, 10_000)]
    public int MaxTables { get; set; } = 100;

    /// <summary>Time limit of a request to the table server.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:05:00")]
    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Maximum number of hits in a request. Table Storage allows 100.</summary>
    [Range(1, 100)]
    public int BatchSize { get; set; } = 100;

    /// <summary>Maximum number of buffered hits of the writer Batch, which are lost if the process is killed. Further hits wait.</summary>
    [Range(1, 1_000_000)]
    public int Capacity { get; set; } = 10_000;

    /// <summary>Time for which a hit waits for room in the buffer before it fails with 503.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan RoomTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Time for which the writer Batch waits for more hits of a partition.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan FlushInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Maximum number of concurrent requests of the writer Batch to the table server.</summary>
    [Range(1, 100)]
    public int Senders { get; set; } = 4;

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        if (Writer != WriterKind.None && ConnectionString.Length == 0 && Endpoint is null)
        {
            yield return new(
                "Name a storage account, for example UseDevelopmentStorage=true, or set Tracking:Endpoint.",
                [nameof(ConnectionString)]
            );
        }
        if (ConnectionString.Length > 0 && Endpoint is null && !CanOpen())
        {
            yield return new(
                "Must look like UseDevelopmentStorage=true or AccountName=…;AccountKey=…;TableEndpoint=http://localhost:10002/….",
                [nameof(ConnectionString)]
            );
        }
        if (ConnectionString.Length > 0 && Endpoint is not null)
            yield return new("Tracking:ConnectionString is set, too. Remove one of them.", [nameof(Endpoint)]);
        if (Endpoint is not null and not { IsAbsoluteUri: true, Scheme: "https" })
        {
            yield return new(
                "Expected https://ACCOUNT.table.core.windows.net, because tokens require TLS.",
                [nameof(Endpoint)]
            );
        }

        foreach (var table in Tables.Where(table => !Hit.IsTableName(table)))
            yield return new($"'{table}' isn't a valid table name: {Hit.TableNameRule}", [nameof(Tables)]);
    }

    private bool CanOpen()
    {
        try
        {
            _ = HitTables.Open(this);
            return true;
        }
        catch (Exception exception)
            when (exception is ArgumentException or FormatException or InvalidOperationException)
        {
            return false;
        }
    }
}
