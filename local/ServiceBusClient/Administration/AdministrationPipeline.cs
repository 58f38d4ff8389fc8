using Azure.Core;
using Azure.Core.Pipeline;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Requests of the management interface, signed with the connection string's key, and their errors as exceptions.</summary>
/// <param name="connection">Where, and with which key.</param>
/// <param name="options">Version, retries and transport.</param>
internal sealed class AdministrationPipeline(ConnectionString connection, ServiceBusAdministrationClientOptions options)
{
    // What the broker's 403 says when an operation does not fit the queue, instead of a quota.
    private const string InvalidOperation = "SubCode=40301";
    private readonly HttpPipeline _pipeline = HttpPipelineBuilder.Build(options);
    private readonly string _apiVersion = options.ApiVersion;

    public Task<Response> GetAsync(string path, string query, CancellationToken cancellationToken) =>
        SendAsync(RequestMethod.Get, path, query, body: null, update: false, cancellationToken);

    public async Task<Response> SendAsync(
        RequestMethod method, string path, string query, string? body, bool update, CancellationToken cancellationToken)
    {
        var response = await RawAsync(method, path, query, body, update, cancellationToken);
        return response.IsError ? throw Failure(response, path, creating: method == RequestMethod.Put && !update) : response;
    }

    /// <summary>A 404 is an answer here, not an error.</summary>
    public async Task<Response> TryGetAsync(string path, string query, CancellationToken cancellationToken)
    {
        var response = await RawAsync(RequestMethod.Get, path, query, body: null, update: false, cancellationToken);
        return response.IsError && response.Status != 404 ? throw Failure(response, path, creating: false) : response;
    }

    private async Task<Response> RawAsync(
        RequestMethod method, string path, string query, string? body, bool update, CancellationToken cancellationToken)
    {
        using var message = _pipeline.CreateMessage();
        var request = message.Request;
        request.Method = method;
        request.Uri.Reset(connection.ManagementAddress);
        request.Uri.AppendPath(path, escape: false);
        request.Uri.Query = query.Length == 0 ? $"?api-version={_apiVersion}" : $"?api-version={_apiVersion}&{query}";
        request.Headers.Add(
            "Authorization",
            SharedAccessSignature.For(connection, connection.ManagementAddress.AbsoluteUri, TimeProvider.System).Token);
        if (update)
            request.Headers.Add("If-Match", "*");
        if (body is not null)
        {
            request.Headers.Add("Content-Type", "application/atom+xml");
            request.Content = RequestContent.Create(BinaryData.FromString(body));
        }

        return await _pipeline.SendRequestAsync(request, cancellationToken);
    }

    private static Exception Failure(Response response, string path, bool creating)
    {
        var cause = new RequestFailedException(response);
        return response.Status switch
        {
            400 => new ArgumentException(cause.Message, cause),
            401 => new UnauthorizedAccessException(cause.Message, cause),
            403 when response.Content.ToString().Contains(InvalidOperation, StringComparison.Ordinal) =>
                new InvalidOperationException(cause.Message, cause),
            403 => Reason(ServiceBusFailureReason.QuotaExceeded),
            404 => Reason(ServiceBusFailureReason.MessagingEntityNotFound),
            409 when creating => Reason(ServiceBusFailureReason.MessagingEntityAlreadyExists),
            503 => Reason(ServiceBusFailureReason.ServiceBusy),
            _ => new ServiceBusException(
                isTransient: true, $"{cause.Message}; response status code: {response.Status}", path, innerException: cause),
        };

        ServiceBusException Reason(ServiceBusFailureReason reason) => new(cause.Message, reason, path, cause);
    }
}
