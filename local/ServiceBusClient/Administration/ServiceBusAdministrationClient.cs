using Azure.Core;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Creates, reads, changes and deletes queues over the broker's HTTP interface.</summary>
public class ServiceBusAdministrationClient
{
    private const int PageSize = 100;
    private readonly AdministrationPipeline _http = null!;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusAdministrationClient()
    {
    }

    /// <exception cref="FormatException">The connection string is malformed.</exception>
    /// <exception cref="ArgumentException">The connection string misses a part.</exception>
    public ServiceBusAdministrationClient(string connectionString) =>
        _http = new AdministrationPipeline(ConnectionString.Parse(connectionString));

    /// <param name="connectionString">Of the namespace.</param>
    /// <param name="firstDelay">Before the second try; it doubles with each try.</param>
    internal ServiceBusAdministrationClient(string connectionString, TimeSpan firstDelay) =>
        _http = new AdministrationPipeline(ConnectionString.Parse(connectionString), firstDelay);

    /// <exception cref="NotSupportedException">Always: tokens of Microsoft Entra ID need the build with the Azure SDK.</exception>
    public ServiceBusAdministrationClient(string fullyQualifiedNamespace, TokenCredential credential) =>
        throw ServiceBusClient.OnlyWithTheAzureSdk(fullyQualifiedNamespace);

    public virtual Task<Response<QueueProperties>> CreateQueueAsync(string name, CancellationToken cancellationToken = default) =>
        CreateQueueAsync(new CreateQueueOptions(name), cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual async Task<Response<QueueProperties>> CreateQueueAsync(
        CreateQueueOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        var body = QueueDescription.Write(new QueueProperties(options));
        return Queue(await _http.SendAsync(RequestMethod.Put, options.Name, "", body, update: false, cancellationToken), options.Name);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual async Task<Response<QueueProperties>> UpdateQueueAsync(
        QueueProperties queue, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(queue);
        return Queue(
            await _http.SendAsync(RequestMethod.Put, queue.Name, "", QueueDescription.Write(queue), update: true, cancellationToken),
            queue.Name);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual async Task<Response<QueueProperties>> GetQueueAsync(string name, CancellationToken cancellationToken = default) =>
        Queue(await _http.GetAsync(name, "enrich=false", cancellationToken), name);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual async Task<Response<QueueRuntimeProperties>> GetQueueRuntimePropertiesAsync(
        string name, CancellationToken cancellationToken = default)
    {
        var response = await _http.GetAsync(name, "enrich=true", cancellationToken);
        var queue = QueueDescription.Single(response.Content.ToString(), QueueDescription.RuntimeProperties);
        return Response.FromValue(queue ?? throw NotFound(name), response);
    }

    public virtual async Task<Response<bool>> QueueExistsAsync(string name, CancellationToken cancellationToken = default)
    {
        var response = await _http.TryGetAsync(name, "enrich=false", cancellationToken);
        var exists = !response.IsError
            && QueueDescription.Single(response.Content.ToString(), QueueDescription.Properties) is not null;
        return Response.FromValue(exists, response);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response> DeleteQueueAsync(string name, CancellationToken cancellationToken = default) =>
        _http.SendAsync(RequestMethod.Delete, name, "", body: null, update: false, cancellationToken);

    public virtual AsyncPageable<QueueProperties> GetQueuesAsync(CancellationToken cancellationToken = default) =>
        new Pages<QueueProperties>(
            (skip, ct) => PageAsync(skip, enrich: false, QueueDescription.Properties, ct), PageSize, cancellationToken);

    public virtual AsyncPageable<QueueRuntimeProperties> GetQueuesRuntimePropertiesAsync(CancellationToken cancellationToken = default) =>
        new Pages<QueueRuntimeProperties>(
            (skip, ct) => PageAsync(skip, enrich: true, QueueDescription.RuntimeProperties, ct), PageSize, cancellationToken);

    private async Task<(IReadOnlyList<T> Values, Response Response)> PageAsync<T>(
        int skip,
        bool enrich,
        Func<string, System.Xml.Linq.XElement, T> read,
        CancellationToken cancellationToken) where T : class
    {
        var query = $"$skip={skip}&$top={PageSize}&enrich={(enrich ? "true" : "false")}";
        var response = await _http.GetAsync("$Resources/queues", query, cancellationToken);
        return (QueueDescription.Feed(response.Content.ToString(), read), response);
    }

    private static Response<QueueProperties> Queue(Response response, string name) =>
        Response.FromValue(
            QueueDescription.Single(response.Content.ToString(), QueueDescription.Properties) ?? throw NotFound(name), response);

    private static ServiceBusException NotFound(string name) =>
        new("The queue does not exist.", ServiceBusFailureReason.MessagingEntityNotFound, name);
}
