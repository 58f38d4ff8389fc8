using Azure;
using Azure.Data.Tables;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The lab's own table storage, Microsoft's emulator: nothing on disk, gone with the application.</summary>
internal static class AzuriteServer
{
    public const string Name = "azurite";

    /// <summary>The account and the key that every Azurite has, as its documentation publishes them: no secret.</summary>
    public const string Account = "devstoreaccount1";

    private const string Key =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    public static string ConnectionString(int port) =>
        $"DefaultEndpointsProtocol=http;AccountName={Account};AccountKey={Key};TableEndpoint={Url(port)};";

    public static Uri Url(int port) => new($"http://127.0.0.1:{port}/{Account}");

    public static IEnumerable<string> Command(string node, int port) =>
        [
            node,
            AzuriteInstallation.TableService,
            "--tableHost",
            "127.0.0.1",
            "--tablePort",
            $"{port}",
            // It would tell its makers how it is used, and refuse clients that are newer than itself.
            "--inMemoryPersistence",
            "--disableTelemetry",
            "--skipApiVersionCheck",
            "--silent",
        ];

    /// <returns>What a table has; nothing if there is no such table.</returns>
    /// <exception cref="HttpRequestException">It does not answer, or refuses.</exception>
    public static async Task<IReadOnlyList<TableEntity>> ReadAsync(
        int port,
        string table,
        IEnumerable<string> columns,
        CancellationToken cancellationToken
    )
    {
        try
        {
            return await new TableClient(ConnectionString(port), table)
                .QueryAsync<TableEntity>(select: columns, cancellationToken: cancellationToken)
                .ToListAsync(cancellationToken);
        }
        catch (RequestFailedException missing) when (missing.Status == 404)
        {
            return [];
        }
        catch (Exception exception) when (exception is RequestFailedException or AggregateException)
        {
            throw new HttpRequestException(exception.Message, exception);
        }
    }
}
