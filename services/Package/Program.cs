using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("package", ContractJson.Configure);

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
