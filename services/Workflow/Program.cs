using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Calls;
using DroneDelivery.Messaging;
using DroneDelivery.Workflow;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("workflow", ContractJson.Configure);
builder.Services.AddServiceBus();
builder.Services.AddWorkflowOptions();
builder.Services.AddServiceClient<PackageClient>("package");
builder.Services.AddServiceClient<DroneSchedulerClient>("dronescheduler");
builder.Services.AddServiceClient<DeliveryClient>("delivery");
builder.Services.AddSingleton<DeliveryWorkflow>();
builder.Services.AddDeliveryRequestListener();

var app = builder.Build();
app.MapServiceDefaults();
return await app.RunServiceAsync();
