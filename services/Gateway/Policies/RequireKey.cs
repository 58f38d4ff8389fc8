using DroneDelivery.Gateway.Routes;

namespace DroneDelivery.Gateway.Policies;

/// <summary>401 for a request without one of the gateway's keys. The key itself goes no further: no backend, no log.</summary>
internal static class RequireKey
{
    public const string Header = "Ocp-Apim-Subscription-Key";

    private static readonly string Challenge = $"ApiKey name=\"{Header}\"";

    public static Step Before(Step next, SubscriptionKeys keys) => (context, _) =>
        keys.SubscriberOf(context.Request.Headers[Header]) is { } subscriber ? next(context, subscriber) : RefuseAsync(context);

    private static Task RefuseAsync(HttpContext context)
    {
        context.Response.Headers.WWWAuthenticate = Challenge;
        return Refusal.AnswerAsync(context, StatusCodes.Status401Unauthorized, $"Send a valid subscription key in the header {Header}.");
    }
}
