namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Writes problem details even if <c>Accept</c> excludes them.</summary>
internal sealed class FallbackProblemWriter : IProblemDetailsWriter
{
    /// <summary>The framework's writer, which honors <c>Accept</c>, comes first.</summary>
    public bool CanWrite(ProblemDetailsContext context) => true;

    public ValueTask WriteAsync(ProblemDetailsContext context)
    {
        context.HttpContext.Request.Headers.Accept = default;
        return context.HttpContext.RequestServices.GetRequiredService<IProblemDetailsService>().WriteAsync(context);
    }
}
