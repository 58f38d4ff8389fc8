using DroneDelivery.Gateway.Schemas;

namespace DroneDelivery.Gateway.Policies;

/// <summary>Every refusal of the gateway is a problem (RFC 9457).</summary>
internal static class Refusal
{
    public static Task AnswerAsync(HttpContext context, int status, string detail) =>
        TypedResults.Problem(detail, statusCode: status).ExecuteAsync(context);

    /// <summary>400, in the form in which Ingestion names a wrong field.</summary>
    public static Task AnswerAsync(HttpContext context, Mistake mistake) =>
        TypedResults.ValidationProblem(new Dictionary<string, string[]> { [mistake.Field] = [mistake.Message] }).ExecuteAsync(context);
}
