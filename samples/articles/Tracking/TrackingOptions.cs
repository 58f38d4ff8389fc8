using System.ComponentModel.DataAnnotations;
using DroneDelivery.Tracking.Tables;

namespace DroneDelivery.Tracking;

/// <summary>How hits get into the table.</summary>
internal enum WriterKind
{
    /// <summary>Each is inserted before it is answered.</summary>
    Insert,

    /// <summary>Each is answered and waits in memory for others of its partition.</summary>
    Batch,

    /// <summary>Nothing is stored: what the pixel alone costs.</summary>
    None,
}

/// <summary>Section <c>Tracking</c>.</summary>
internal sealed class TrackingOptions : IValidatableObject
{
    public const string Section = "Tracking";

    public WriterKind Writer { get; set; } = WriterKind.Insert;

    /// <summary>Of a storage account, or of Azurite.</summary>
    public string ConnectionString { get; set; } = "";

    /// <summary>Instead of <see cref="ConnectionString"/>: where the tables of a storage account are, opened with the identity of the
    /// process.</summary>
    public Uri? Endpoint { get; set; }

    /// <summary>
    /// Tables that may be written to. Empty: any, up to <see cref="MaxTables"/> of them. List them if the service is public:
    /// otherwise clients can use up <see cref="MaxTables"/>.
    /// </summary>
    public string[] Tables { get; set; } = [];

    /// <summary>How many tables this process creates where <see cref="Tables"/> is empty.</summary>
    [Range(1, 10_000)]
    public int MaxTables { get; set; } = 100;

    /// <summary>How long the table server may take for one request.</summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:05:00")]
    public TimeSpan OperationTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Hits of one partition that are stored by one request. 100 is what Table Storage takes.</summary>
    [Range(1, 100)]
    public int BatchSize { get; set; } = 100;

    /// <summary>Hits that wait in memory at most, of the writer Batch: what a process that is killed may lose. One more waits for
    /// room.</summary>
    [Range(1, 1_000_000)]
    public int Capacity { get; set; } = 10_000;

    /// <summary>How long a hit waits for room before it is answered with 503.</summary>
    [Range(typeof(TimeSpan), "00:00:00", "00:01:00")]
    public TimeSpan RoomTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How long a hit waits for others of its partition, of the writer Batch: under load, only for those before it.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan FlushInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Requests to the table server at a time, of the writer Batch.</summary>
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
            yield return new("Tracking:ConnectionString is set too. Keep the one that is meant.", [nameof(Endpoint)]);
        if (Endpoint is not null and not { IsAbsoluteUri: true, Scheme: "https" })
        {
            yield return new(
                "Expected https://ACCOUNT.table.core.windows.net: no token goes over plain http.",
                [nameof(Endpoint)]
            );
        }

        foreach (var table in Tables.Where(table => !Hit.IsTableName(table)))
            yield return new($"'{table}' is no name of a table: {Hit.TableNameRule}", [nameof(Tables)]);
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
