using DroneDelivery.Gateway.Policies;
using DroneDelivery.Gateway.Routes;
using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>
/// Sends a request to Ingestion and its answer to the client. Both bodies pass as they come; nothing is held, and nothing is repeated: a
/// client knows better whether its request may be sent twice.
/// </summary>
internal sealed class ForwardRequest(
    [FromKeyedServices("ingestion")] HttpMessageInvoker backend, TimeProvider time, ILogger<ForwardRequest> logger)
{
    private const string Unclear = "A path has no encoded slash, backslash or percent sign, and a query no space or control character.";

    private readonly Outage _outage = new("Ingestion", logger);

    public Step Within(TimeSpan longestSilence)
    {
        var silences = new Silences(longestSilence, time);
        return (context, _) => HandleAsync(context, silences);
    }

    private async Task HandleAsync(HttpContext context, Silences silences)
    {
        using var silence = silences.Begin(context.RequestAborted);
        if (ForwardedRequest.Of(context, silence) is not { } request)
        {
            await Refusal.AnswerAsync(context, StatusCodes.Status400BadRequest, Unclear);
            return;
        }

        using (request)
        {
            try
            {
                using var answer = await backend.SendAsync(request, silence.Token);
                _outage.Succeeded();
                await ForwardedAnswer.CopyAsync(answer, context, silence);
            }
            catch (Exception exception) when (exception is HttpRequestException or OperationCanceledException or IOException)
            {
                await FailAsync(context, request, silence, exception);
            }
        }
    }

    private async Task FailAsync(HttpContext context, HttpRequestMessage request, Silence silence, Exception exception)
    {
        if (context.Response.HasStarted || context.RequestAborted.IsCancellationRequested)
        {
            context.Abort(); // a client that has half of an answer must not take it for a whole one
            return;
        }

        context.Response.Clear(); // of the answer's headers
        if ((request.Content as ForwardedBody)?.Failure is BadHttpRequestException bad)
        {
            await Refusal.AnswerAsync(context, bad.StatusCode, bad.Message);
        }
        else if (request.Content is ForwardedBody { Failure: OperationCanceledException })
        {
            await Refusal.AnswerAsync(context, StatusCodes.Status408RequestTimeout, "The body has not arrived in time.");
        }
        else if (silence.IsTooLong)
        {
            _outage.Failed($"No answer within {silence.Longest}.");
            await Refusal.AnswerAsync(context, StatusCodes.Status504GatewayTimeout, "Ingestion has not answered in time.");
        }
        else
        {
            _outage.Failed($"{exception.GetType().Name}: {exception.Message}");
            await Refusal.AnswerAsync(context, StatusCodes.Status502BadGateway, "Ingestion does not answer.");
        }
    }
}
