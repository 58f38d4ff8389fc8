namespace DroneDelivery.Gateway.Policies;

/// <summary>Every refusal of the gateway is a problem (RFC 9457).</summary>
internal static class Refusal
{
    public static Task AnswerAsync(HttpContext context, int status, string detail) =>
        TypedResults.Problem(detail, statusCode: status).ExecuteAsync(context);
}
