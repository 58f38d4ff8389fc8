using System.Xml.Linq;
using Azure.Core;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Creates, reads, changes and deletes queues, topics, subscriptions and rules over the broker's HTTP interface.</summary>
public partial class ServiceBusAdministrationClient
{
    private const int PageSize = 100;
    private readonly AdministrationPipeline _http = null!;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusAdministrationClient()
    {
    }

    /// <exception cref="FormatException">The connection string is malformed.</exception>
    /// <exception cref="ArgumentException">The connection string misses a part.</exception>
    public ServiceBusAdministrationClient(string connectionString)
        : this(connectionString, new ServiceBusAdministrationClientOptions())
    {
    }

    /// <exception cref="FormatException">The connection string is malformed.</exception>
    /// <exception cref="ArgumentException">The connection string misses a part.</exception>
    public ServiceBusAdministrationClient(string connectionString, ServiceBusAdministrationClientOptions options) =>
        _http = new AdministrationPipeline(ConnectionString.Parse(connectionString), options ?? new());

    /// <exception cref="NotSupportedException">Always: tokens of Microsoft Entra ID need the build with the Azure SDK.</exception>
    public ServiceBusAdministrationClient(string fullyQualifiedNamespace, TokenCredential credential)
        : this(fullyQualifiedNamespace, credential, new ServiceBusAdministrationClientOptions())
    {
    }

    /// <exception cref="NotSupportedException">Always: tokens of Microsoft Entra ID need the build with the Azure SDK.</exception>
    public ServiceBusAdministrationClient(
        string fullyQualifiedNamespace, TokenCredential credential, ServiceBusAdministrationClientOptions options) =>
        throw ServiceBusClient.OnlyWithTheAzureSdk(fullyQualifiedNamespace);

    public virtual async Task<Response<NamespaceProperties>> GetNamespacePropertiesAsync(CancellationToken cancellationToken = default)
    {
        const string path = "$namespaceinfo";
        var response = await _http.GetAsync(path, "", cancellationToken);
        return Read(response, "namespace", path, NamespaceProperties.Root, NamespaceProperties.Read);
    }

    private Task<Response> PutAsync(string path, string body, bool update, CancellationToken cancellationToken) =>
        _http.SendAsync(RequestMethod.Put, path, "", body, update, cancellationToken);

    private Task<Response> DeleteAsync(string path, CancellationToken cancellationToken) =>
        _http.SendAsync(RequestMethod.Delete, path, "", body: null, update: false, cancellationToken);

    private async Task<Response<T>> GetAsync<T>(
        string path, bool enrich, string kind, string root, Func<string, XElement, T> read, CancellationToken cancellationToken)
        where T : class =>
        Read(await _http.GetAsync(path, enrich ? "enrich=true" : "enrich=false", cancellationToken), kind, path, root, read);

    private async Task<Response<bool>> ExistsAsync(string path, string root, CancellationToken cancellationToken)
    {
        var response = await _http.TryGetAsync(path, "enrich=false", cancellationToken);
        var exists = !response.IsError && Atom.Single(response.Content.ToString(), root, (_, description) => description) is not null;
        return Response.FromValue(exists, response);
    }

    private Pages<T> List<T>(
        string path, bool enrich, string root, Func<string, XElement, T> read, CancellationToken cancellationToken) where T : class =>
        new(
            async (skip, ct) =>
            {
                var query = $"$skip={skip}&$top={PageSize}&enrich={(enrich ? "true" : "false")}";
                var response = await _http.GetAsync(path, query, ct);
                return (Atom.Feed(response.Content.ToString(), root, read), response);
            },
            PageSize,
            cancellationToken);

    private static Response<T> Read<T>(Response response, string kind, string name, string root, Func<string, XElement, T> read)
        where T : class =>
        Response.FromValue(
            Atom.Single(response.Content.ToString(), root, read)
                ?? throw new ServiceBusException($"The {kind} does not exist.", ServiceBusFailureReason.MessagingEntityNotFound, name),
            response);
}
