namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Problem details whatever <c>Accept</c> lists: better than a response without a reason.</summary>
internal sealed class ProblemsForAll : IProblemDetailsWriter
{
    /// <summary>It comes after the writer of the framework, which writes only what <c>Accept</c> lists.</summary>
    public bool CanWrite(ProblemDetailsContext context) => true;

    public ValueTask WriteAsync(ProblemDetailsContext context)
    {
        context.HttpContext.Request.Headers.Accept = default;
        return context.HttpContext.RequestServices.GetRequiredService<IProblemDetailsService>().WriteAsync(context);
    }
}
